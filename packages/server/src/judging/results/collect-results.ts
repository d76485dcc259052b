// Puts results together from the record of judging: what counts, the ranking, the people behind it, and what is still missing. Pure.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { ResultsReply } from '@fairgate/contracts/judging/results.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { assignTeams, isFinished, listCounting, listCountingIfApplied } from '../assigned-teams.ts'
import { stateOf } from '../cases/case-state.ts'
import type { ReadState } from '../judging-log.ts'
import { weighScores } from '../weigh-scores.ts'
import { average, round } from './adjust-means.ts'
import { type CountedJudgement, describeJudges, type Ranking, rankTeams } from './rank-teams.ts'

export type Results = {
  readonly setup: JudgingSetup
  readonly ranking: Ranking
  readonly judgements: readonly CountedJudgement[]
}

/** `teams`: those that are judged. `isApplied`: as if the open re-judging were applied. */
export function collectResults(
  state: ReadState,
  setup: JudgingSetup,
  teams: readonly string[],
  { isApplied }: { readonly isApplied: boolean },
): Results {
  const counting = isApplied ? listCountingIfApplied(state) : listCounting(state)
  const findOrder = isApplied ? state.findOrder : state.findCountingOrder
  const calibration = setup.calibration_team ?? null
  // Everybody judges the team for calibration, so it is no part of the contest.
  const ranked = teams.filter(teamId => teamId !== calibration)
  const judgements = counting
    .filter(({ teamId }) => teamId !== calibration)
    .flatMap(({ teamId, judgeId, scores, gates = {}, at }) => {
      const mean = weighScores(setup.criteria, scores)
      return mean === null ? [] : [{ teamId, judgeId, scores, gates, at, mean }]
    })
  const byJudge = Map.groupBy(judgements, ({ judgeId }) => judgeId)
  const orders = state.judges().map(({ judgeId }) => {
    const own = new Set((byJudge.get(judgeId) ?? []).map(({ teamId }) => teamId))
    return (findOrder(judgeId)?.teams ?? []).filter(teamId => own.has(teamId))
  })
  const decisions = state.results.decisions()
  return { setup, judgements, ranking: rankTeams({ setup, teams: ranked, judgements, orders, decisions }) }
}

type Described = Pick<
  ResultsReply,
  'ranking' | 'criteria' | 'sampled' | 'method' | 'teams' | 'ties' | 'open_ties' | 'judges'
>

export function describeResults(
  { setup, ranking, judgements }: Results,
  {
    nameOfTeam,
    nameOfJudge,
  }: { nameOfTeam: (teamId: string) => string; nameOfJudge: (judgeId: string) => string },
): Described {
  const byTeam = Map.groupBy(judgements, ({ teamId }) => teamId)
  return {
    ranking: setup.ranking,
    criteria: setup.criteria,
    sampled: ranking.isSampled,
    method: describeMethod(setup, ranking),
    teams: ranking.teams.map(team => ({
      team_id: team.teamId,
      team: nameOfTeam(team.teamId),
      rank: team.rank,
      unranked: team.unranked,
      judgements: team.judgements,
      mean: team.mean,
      adjusted: team.adjusted,
      criteria: averageCriteria(setup, byTeam.get(team.teamId) ?? []),
      strength: team.strength,
      place_by_mean: team.placeByMean,
      place_by_order: team.placeByOrder,
      spread: team.spread,
      failed_gates: [...team.failedGates],
      discuss: [...team.discuss],
    })),
    ties: ranking.ties.map(({ step, teams, values, reason }) => ({
      step,
      teams: [...teams],
      values: { ...values },
      reason,
    })),
    open_ties: ranking.open.map(group => [...group]),
    judges: describeJudges(judgements)
      .map(({ judgeId, ...profile }) => ({ judge_id: judgeId, name: nameOfJudge(judgeId), ...profile }))
      .toSorted((one, other) => one.name.localeCompare(other.name, 'en')),
  }
}

function averageCriteria({ criteria }: JudgingSetup, own: readonly CountedJudgement[]) {
  return Object.fromEntries(
    criteria.map(({ id }) => {
      const scores = own.flatMap(({ scores }) => scores[id]?.score ?? []).toSorted((a, b) => a - b)
      return [id, scores.length === 0 ? null : round(average(scores))]
    }),
  )
}

const decidesBy: Readonly<Record<JudgingSetup['ranking'], string>> = {
  mean: 'The weighted mean of the scores decides.',
  adjusted: 'The weighted mean decides, adjusted for strict and lenient judges.',
  order: "The judges' orders of their own teams decide; the means are shown with them.",
}

/** In words that a team can check. */
function describeMethod({ ranking, ties }: JudgingSetup, { isSampled }: Ranking): string[] {
  return [
    decidesBy[ranking],
    'A judgement is the sum of score / max × weight over the criteria, divided by the sum of the weights. A mean is that of a team’s judgements.',
    isSampled
      ? 'Not every judge has judged every team. The adjusted mean takes out how strict a judge is: judgement = team + judge, by least squares, with judges shrunk towards the average as if two more of their teams were average.'
      : 'Every judge has judged every team, so no mean is adjusted.',
    'The ranking by orders is a Plackett-Luce model in which every team also wins and loses once against an average team.',
    `Equal teams: ${ties.map(describeStep).join(', then ')}.`,
  ]
}

function describeStep(step: JudgingSetup['ties'][number]): string {
  if (step.by === 'criterion') return `the mean of "${step.criterion}"`
  return step.by === 'order' ? "the judges' orders" : 'the head judge, with a reason'
}

/** What should be there before results are published, in words; empty if nothing is missing. */
export function listMissing(state: ReadState, { ranking }: Results, now: number): string[] {
  const assigned = [...assignTeams(state)].flatMap(([judgeId, teams]) =>
    teams.map(teamId => ({ judgeId, teamId })),
  )
  const isThere = (judgeId: string) => state.findJudge(judgeId)?.isAbsent === false
  const unfinished = assigned.filter(pair => isThere(pair.judgeId) && !isFinished(state, pair)).length
  const unjudged = ranking.teams.filter(({ unranked }) => unranked === 'not_judged').length
  const few = ranking.teams.filter(({ unranked }) => unranked === 'too_few_judgements').length
  const rejudging = state.results.rejudging()
  const openCases = state.cases.list().filter(one => stateOf(one, now) !== 'final').length
  return [
    ...(unfinished === 0 ? [] : [`${count(unfinished, 'judgement is', 'judgements are')} not finished.`]),
    ...(unjudged === 0 ? [] : [`${count(unjudged, 'team has', 'teams have')} no judgement.`]),
    ...(few === 0 ? [] : [`${count(few, 'team has', 'teams have')} a single judgement, and no rank.`]),
    ...(ranking.open.length === 0
      ? []
      : [`${count(ranking.open.length, 'tie is', 'ties are')} left for the head judge.`]),
    ...(rejudging === null ? [] : ['A re-judging is open. Apply or discard it.']),
    ...(openCases === 0 ? [] : [`${count(openCases, 'case is', 'cases are')} not decided.`]),
  ]
}

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`

/** `rejudging` of a reply. */
export function describeRejudging(state: ReadState): ResultsReply['rejudging'] {
  const rejudging = state.results.rejudging()
  if (rejudging === null) return null
  return {
    rejudging_id: rejudging.rejudgingId,
    reason: rejudging.reason,
    opened_at: isoTime(rejudging.at),
    opened_by: rejudging.actor,
    items: rejudging.pairs.map(pair => ({
      team_id: pair.teamId,
      judge_id: pair.judgeId,
      judge: state.findJudge(pair.judgeId)?.name ?? pair.judgeId,
      done: isFinished(state, pair),
    })),
  }
}
