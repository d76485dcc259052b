// Ranks the teams: by the weighted mean, adjusted or not, or by the orders of the judges, with the written steps for ties. Pure.
import type { JudgementContent } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { adjustMeans, arePanelsSampled, average, averageMeans, type Given, round } from './adjust-means.ts'
import { fitOrders, type JudgedOrder } from './fit-orders.ts'

/** A finished judgement that counts. */
export type CountedJudgement = {
  readonly teamId: string
  readonly judgeId: string
  /** Weighted mean of its scores, from 0 to 1. */
  readonly mean: number
  readonly scores: JudgementContent['scores']
  readonly gates: Readonly<Record<string, boolean | null>>
  /** Unix ms. */
  readonly at: number
}

/** The head judge's decision between teams that are equal after all other steps, best first. */
export type TieDecision = { readonly teams: readonly string[]; readonly reason: string }

export type RankingInput = {
  readonly setup: Pick<JudgingSetup, 'criteria' | 'gates' | 'ranking' | 'ties'>
  /** Teams that take part in the ranking. */
  readonly teams: readonly string[]
  readonly judgements: readonly CountedJudgement[]
  readonly orders: readonly JudgedOrder[]
  readonly decisions: readonly TieDecision[]
}

/** A step that was needed for a team, and what it brought. */
export type TieStep = {
  readonly step: JudgingSetup['ties'][number]
  readonly teams: readonly string[]
  /** Null: this step does not have a value for the team. */
  readonly values: Readonly<Record<string, number | null>>
  readonly reason: string | null
}

export type RankedTeam = {
  readonly teamId: string
  /** Teams that nothing decides between share a rank. Null: not ranked, as `unranked` says. */
  readonly rank: number | null
  readonly unranked: 'not_judged' | 'too_few_judgements' | 'gate' | null
  readonly judgements: number
  readonly mean: number | null
  readonly adjusted: number | null
  /** Logarithm of the strength that the orders give, 0 for an average team. */
  readonly strength: number
  /** Places in the ranking by the mean that counts and in the one by orders, among the ranked teams. */
  readonly placeByMean: number | null
  readonly placeByOrder: number | null
  /** Largest difference between two judges' means. */
  readonly spread: number | null
  readonly failedGates: readonly string[]
  readonly discuss: readonly ('judges_differ' | 'rankings_differ' | 'gate')[]
}

export type Ranking = {
  /** By rank, then those that are not ranked. */
  readonly teams: readonly RankedTeam[]
  readonly isSampled: boolean
  readonly ties: readonly TieStep[]
  /** Groups that only the head judge can still decide. */
  readonly open: readonly (readonly string[])[]
}

/** Judges differ by more than this share of the scale: two points of five. */
const spreadToDiscuss = 0.4
/** The two rankings differ by more than this share of the ranked teams, and by more than two places. */
const placesToDiscuss = 0.1
/** A mean of fewer judgements is one person's opinion. */
const fewestJudgements = 2

/** Takes time by the number of judgements, and of the orders' teams in each round of their fit. */
export function rankTeams({ setup, teams, judgements, orders, decisions }: RankingInput): Ranking {
  const known = new Set(teams)
  const counted = judgements.filter(({ teamId }) => known.has(teamId))
  const byTeam = Map.groupBy(counted, ({ teamId }) => teamId)
  const means = averageMeans(counted)
  const isSampled = arePanelsSampled(counted)
  const adjusted = isSampled ? adjustMeans(counted).teams : null
  const strengths = fitOrders(teams, orders)
  const byMean = setup.ranking === 'adjusted' ? (adjusted ?? means) : means
  const facts = teams.toSorted().map(teamId => {
    const own = byTeam.get(teamId) ?? []
    const failedGates = listFailedGates(setup, own)
    const isRankedByMean = setup.ranking !== 'order'
    const unranked =
      own.length === 0
        ? ('not_judged' as const)
        : failedGates.length > 0
          ? ('gate' as const)
          : isRankedByMean && own.length < fewestJudgements
            ? ('too_few_judgements' as const)
            : null
    return { teamId, own, failedGates, unranked }
  })
  const ranked = facts.filter(({ unranked }) => unranked === null).map(({ teamId }) => teamId)
  const strengthOf = (teamId: string) => strengths.get(teamId) ?? 0
  const meanOf = (teamId: string) => byMean.get(teamId) ?? 0
  const measure = setup.ranking === 'order' ? strengthOf : meanOf
  const { groups, ties, open } = breakTies(groupByValue(ranked, measure), {
    setup,
    byTeam,
    strengthOf,
    decisions,
  })
  const ranks = numberGroups(groups)
  const placesByMean = numberGroups(groupByValue(ranked, meanOf))
  const placesByOrder = numberGroups(groupByValue(ranked, strengthOf))
  const largestMove = Math.max(2, ranked.length * placesToDiscuss)
  const rows = facts.map(({ teamId, own, failedGates, unranked }): RankedTeam => {
    const values = own.map(({ mean }) => mean)
    const spread = values.length < 2 ? null : round(Math.max(...values) - Math.min(...values))
    const placeByMean = placesByMean.get(teamId) ?? null
    const placeByOrder = placesByOrder.get(teamId) ?? null
    const move = placeByMean === null || placeByOrder === null ? 0 : Math.abs(placeByMean - placeByOrder)
    const hasGateDispute = (setup.gates ?? []).some(
      ({ id }) => own.some(({ gates }) => gates[id] === false) && own.some(({ gates }) => gates[id] === true),
    )
    return {
      teamId,
      rank: ranks.get(teamId) ?? null,
      unranked,
      judgements: own.length,
      mean: means.get(teamId) ?? null,
      adjusted: adjusted?.get(teamId) ?? null,
      strength: strengthOf(teamId),
      placeByMean,
      placeByOrder,
      spread,
      failedGates,
      discuss: [
        ...(spread !== null && spread > spreadToDiscuss ? (['judges_differ'] as const) : []),
        ...(orders.length > 0 && move > largestMove ? (['rankings_differ'] as const) : []),
        ...(hasGateDispute ? (['gate'] as const) : []),
      ],
    }
  })
  const last = rows.length + 1
  return {
    teams: rows.toSorted((one, other) => (one.rank ?? last) - (other.rank ?? last)),
    isSampled,
    ties,
    open,
  }
}

/** Gates that more judges deny than grant. */
function listFailedGates({ gates }: RankingInput['setup'], own: readonly CountedJudgement[]): string[] {
  return (gates ?? [])
    .filter(({ id }) => {
      const count = (answer: boolean) => own.filter(judgement => judgement.gates[id] === answer).length
      return count(false) > count(true)
    })
    .map(({ id }) => id)
}

type Group = readonly string[]

/** Groups of equal teams, best first; each by name. */
function groupByValue(teams: readonly string[], measure: (teamId: string) => number): Group[] {
  return [...Map.groupBy(teams, measure)]
    .toSorted(([one], [other]) => other - one)
    .map(([, group]) => group.toSorted())
}

/** The rank of each team: one more than the number of teams before its group. */
function numberGroups(groups: readonly Group[]): Map<string, number> {
  const ranks = new Map<string, number>()
  for (const group of groups) {
    const rank = ranks.size + 1
    for (const teamId of group) ranks.set(teamId, rank)
  }
  return ranks
}

type TieFacts = Pick<RankingInput, 'setup' | 'decisions'> & {
  readonly byTeam: ReadonlyMap<string, readonly CountedJudgement[]>
  readonly strengthOf: (teamId: string) => number
}

/** Splits each group of equal teams by the written steps, one after the other, as far as needed. */
function breakTies(groups: readonly Group[], facts: TieFacts) {
  const ties: TieStep[] = []
  const open: Group[] = []
  const settled = groups.flatMap(group => {
    let parts: readonly Group[] = [group]
    for (const step of facts.setup.ties) {
      parts = parts.flatMap(part => {
        if (part.length < 2) return [part]
        const { split, reason, values } = splitByStep(part, step, facts)
        ties.push({ step, teams: part, values, reason })
        return split
      })
    }
    open.push(...parts.filter(({ length }) => length > 1))
    return parts
  })
  return { groups: settled, ties, open }
}

function splitByStep(
  part: Group,
  step: TieStep['step'],
  { byTeam, strengthOf, decisions }: TieFacts,
): { readonly split: Group[]; readonly reason: string | null; readonly values: TieStep['values'] } {
  if (step.by === 'head_judge') {
    // The newest decision that names exactly these teams.
    const decision = decisions.findLast(
      ({ teams }) => teams.length === part.length && part.every(teamId => teams.includes(teamId)),
    )
    const places = part.map(teamId => [teamId, (decision?.teams.indexOf(teamId) ?? -2) + 1] as const)
    return decision === undefined
      ? { split: [part], reason: null, values: Object.fromEntries(part.map(teamId => [teamId, null])) }
      : {
          split: decision.teams.map(teamId => [teamId]),
          reason: decision.reason,
          values: Object.fromEntries(places),
        }
  }
  const measure =
    step.by === 'order'
      ? strengthOf
      : (teamId: string) => averageCriterion(byTeam.get(teamId) ?? [], step.criterion)
  return {
    split: groupByValue(part, measure),
    reason: null,
    values: Object.fromEntries(part.map(teamId => [teamId, measure(teamId)])),
  }
}

function averageCriterion(own: readonly CountedJudgement[], criterion: string): number {
  const scores = own.flatMap(({ scores }) => scores[criterion]?.score ?? []).toSorted((a, b) => a - b)
  return scores.length === 0 ? 0 : round(average(scores))
}

/** How a judge scores beside the others. */
export type JudgeProfile = {
  readonly judgeId: string
  readonly judgements: number
  readonly mean: number
  /** How much higher than others with the same teams, from -1 to 1. */
  readonly leniency: number
  /** Standard deviation of the means. */
  readonly spread: number
  /** How much higher the second half of the day is than the first, beside what others say of the same teams; null under four judgements. */
  readonly drift: number | null
}

const fewestForDrift = 4

export function describeJudges(judgements: readonly CountedJudgement[]): JudgeProfile[] {
  const { leniency } = adjustMeans(judgements)
  const means = averageMeans(judgements)
  return [...Map.groupBy(judgements, ({ judgeId }) => judgeId)]
    .map(([judgeId, own]): JudgeProfile => {
      const values = own.map(({ mean }) => mean).toSorted((a, b) => a - b)
      const mean = average(values)
      const timely = own
        .toSorted((one, other) => one.at - other.at)
        .map((one: Given) => one.mean - (means.get(one.teamId) ?? 0))
      const half = Math.floor(timely.length / 2)
      return {
        judgeId,
        judgements: own.length,
        mean: round(mean),
        leniency: leniency.get(judgeId) ?? 0,
        spread: round(Math.sqrt(average(values.map(value => (value - mean) ** 2)))),
        drift:
          own.length < fewestForDrift
            ? null
            : round(average(timely.slice(-half)) - average(timely.slice(0, half))),
      }
    })
    .toSorted((one, other) => (one.judgeId < other.judgeId ? -1 : 1))
}
