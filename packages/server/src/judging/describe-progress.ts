// How far all judges are, and their judgements, for organisers and the head judge. Pure.
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { JudgementRow, ProgressReply } from '@fairgate/contracts/judging/scores.ts'
import type { DraftHead } from '../store/statements/judging-drafts.ts'
import { isFinished, listAssigned } from './assigned-teams.ts'
import type { Pair } from './deal-teams.ts'
import type { ReadState } from './judging-log.ts'
import { isWhole } from './order-teams.ts'
import { listOwnFinished, reasonOf } from './scoring-service.ts'
import { weighScores } from './weigh-scores.ts'

export type ShownTeams = {
  /** Teams that are judged. */
  readonly teams: readonly string[]
  readonly nameOf: (teamId: string) => string
}

export function describeProgress(
  state: ReadState,
  drafts: readonly DraftHead[],
  { teams, nameOf }: ShownTeams,
): Omit<ProgressReply, 'as_of'> {
  const shown = new Set(teams)
  const isShown = (teamId: string) => shown.has(teamId)
  const pairs = listAssigned(state).filter(({ teamId }) => isShown(teamId))
  const byJudge = Map.groupBy(pairs, ({ judgeId }) => judgeId)
  const byTeam = Map.groupBy(pairs, ({ teamId }) => teamId)
  const { judges_per_team: wanted = 0, calibration_team: calibration = null } = state.setup()?.value ?? {}
  const savedBy = Map.groupBy(drafts, ({ judgeId }) => judgeId)
  return {
    ...count(state, pairs),
    judges: listByName(state).map(({ judgeId, name, isAbsent }) => {
      const finished = listOwnFinished(state, judgeId, isShown)
      const order = state.findOrder(judgeId)
      const savedAt = (savedBy.get(judgeId) ?? []).map(draft => draft.savedAt ?? 0)
      const lastAt = Math.max(0, order?.at ?? 0, ...savedAt)
      const seenAt = state.findLink(judgeId)?.firstUsedAt ?? null
      return {
        judge_id: judgeId,
        name,
        absent: isAbsent,
        ...count(state, byJudge.get(judgeId) ?? []),
        ordered: order !== undefined && isWhole(finished, order.teams),
        last_at: lastAt === 0 ? null : isoTime(lastAt),
        seen_at: seenAt === null ? null : isoTime(seenAt),
      }
    }),
    teams: teams.toSorted().map(teamId => {
      const own = byTeam.get(teamId) ?? []
      return {
        team_id: teamId,
        name: nameOf(teamId),
        number: state.numbers().get(teamId) ?? null,
        // Every judge reads the team for calibration.
        wanted: teamId === calibration ? own.length : wanted,
        ...count(state, own),
      }
    }),
  }
}

/** By team, then by judge. */
export function listJudgements(state: ReadState, nameOf: ShownTeams['nameOf']): JudgementRow[] {
  const places = new Map(listByName(state).map(({ judgeId }, at) => [judgeId, at]))
  const placeOf = ({ judgeId }: Pair) => places.get(judgeId) ?? 0
  return listAssigned(state)
    .toSorted((a, b) => (a.teamId === b.teamId ? placeOf(a) - placeOf(b) : a.teamId < b.teamId ? -1 : 1))
    .map(pair => describeRow(state, pair, nameOf))
}

/** What is not finished has no scores here. */
export function describeRow(state: ReadState, pair: Pair, nameOf: ShownTeams['nameOf']): JudgementRow {
  const progress = state.findProgress(pair)
  const judgement = isFinished(state, pair) ? (progress?.judgement ?? null) : null
  const { scores = {}, gates = {}, comment_team = '', comment_judges = '' } = judgement ?? {}
  return {
    judge_id: pair.judgeId,
    judge: state.findJudge(pair.judgeId)?.name ?? '',
    team_id: pair.teamId,
    team: nameOf(pair.teamId),
    state: progress?.state ?? 'to_read',
    scores,
    gates,
    comment_team,
    comment_judges,
    mean: judgement?.state === 'done' ? weighScores(state.setup()?.value.criteria ?? [], scores) : null,
    paper: judgement?.isPaper === true,
    entered_by: judgement?.isPaper === true ? judgement.actor : null,
    reason: reasonOf(progress),
    at: judgement === null ? null : isoTime(judgement.at),
  }
}

function listByName(state: ReadState) {
  return state.judges().toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

function count(state: ReadState, pairs: readonly Pair[]) {
  const states = pairs.map(pair => state.findProgress(pair)?.state)
  const of = (wanted: 'begun' | 'done' | 'unable') => states.filter(found => found === wanted).length
  return { assigned: pairs.length, begun: of('begun'), done: of('done'), unable: of('unable') }
}
