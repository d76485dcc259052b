// The teams that each judge has, and which of their judgements count.
import { createMayJudge } from './create-may-judge.ts'
import type { Pair } from './deal-teams.ts'
import type { ReadState } from './judging-log.ts'
import type { Progress } from './judging-state.ts'

export type TeamsByJudge = ReadonlyMap<string, readonly string[]>

/**
 * In the order in which each judge reads them. The team for calibration comes first: everybody reads it who may judge it, whatever its track,
 * and who is absent keeps it if it is finished.
 */
export function assignTeams(state: ReadState): TeamsByJudge {
  const dealt = groupByJudge(state.pairs())
  const setup = state.setup()?.value
  const calibration = setup?.calibration_team ?? null
  if (setup === undefined || calibration === null) return dealt
  const judges = state.judges()
  const mayJudge = createMayJudge({ setup: { ...setup, tracks: [] }, judges, conflicts: state.conflicts() })
  return new Map(
    judges.map(({ judgeId }) => {
      const pair = { judgeId, teamId: calibration }
      const others = (dealt.get(judgeId) ?? []).filter(teamId => teamId !== calibration)
      const isAssigned = mayJudge(pair) || (isFinished(state, pair) && !state.hasConflict(pair))
      return [judgeId, isAssigned ? [calibration, ...others] : others]
    }),
  )
}

/** The same as pairs. */
export function listAssigned(state: ReadState): Pair[] {
  return [...assignTeams(state)].flatMap(([judgeId, teams]) => teams.map(teamId => ({ teamId, judgeId })))
}

/** Teams by judge, in the order in which each judge reads them. */
export function groupByJudge(pairs: readonly Pair[]): TeamsByJudge {
  const groups = new Map<string, string[]>()
  for (const { teamId, judgeId } of pairs) {
    const own = groups.get(judgeId)
    if (own === undefined) groups.set(judgeId, [teamId])
    else own.push(teamId)
  }
  return groups
}

/** Done, or could not be judged. */
export function isFinished(state: ReadState, pair: Pair): boolean {
  const { state: reached = 'begun' } = state.findProgress(pair) ?? {}
  return reached !== 'begun'
}

export type Counting = NonNullable<Progress['counting']>

/** The judgements that count: finished, and without a conflict that was found later. */
export function listCounting(state: ReadState): Counting[] {
  return listUnlessConflict(state, ({ counting }) => counting)
}

/** Those that would count if the open re-judging were applied now: a team that could not be judged again loses its judgement. */
export function listCountingIfApplied(state: ReadState): Counting[] {
  const waiting = new Set(listWaiting(state).map(writePair))
  return listUnlessConflict(state, ({ counting, judgement, state: reached, ...pair }) => {
    if (!state.results.isRejudged(pair) || waiting.has(writePair(pair))) return counting
    return reached === 'done' ? judgement : null
  })
}

/** What the open re-judging waits for: not finished, and still with its judge, who may have been replaced. */
export function listWaiting(state: ReadState): Pair[] {
  const assigned = new Set(listAssigned(state).map(writePair))
  const { pairs = [] } = state.results.rejudging() ?? {}
  return pairs.filter(pair => assigned.has(writePair(pair)) && !isFinished(state, pair))
}

/** Ids contain no line feed. */
const writePair = ({ teamId, judgeId }: Pair) => `${teamId}\n${judgeId}`

function listUnlessConflict(state: ReadState, choose: (progress: Progress) => Counting | null): Counting[] {
  return state.allProgress().flatMap(progress => {
    const chosen = choose(progress)
    return chosen === null || state.hasConflict(progress) ? [] : [chosen]
  })
}

/** Assignments that a deal leaves where they are: those that were begun, or, if it replaces a judge, all but what this judge has not finished. */
export function keepAssignments(state: ReadState, absentId: string | null): Pair[] {
  return state
    .pairs()
    .filter(pair =>
      absentId === null
        ? state.findProgress(pair) !== undefined
        : pair.judgeId !== absentId || isFinished(state, pair),
    )
}
