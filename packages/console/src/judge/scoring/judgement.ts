// What a judge writes about a team, with every member present, and what follows from it: what is missing, the mean, and differences. Pure.
import type { JudgementContent } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { formatCount } from '../../format/number.ts'

export type Criterion = JudgingSetup['criteria'][number]
export type Gate = NonNullable<JudgingSetup['gates']>[number]

export type CriterionScore = {
  /** Null: not scored yet. */
  readonly score: number | null
  readonly why: string
  /** Numbers of the cited entries. */
  readonly cites: readonly number[]
}

/** Ids that are absent have nothing written. */
export type Written = {
  readonly scores: Readonly<Record<string, CriterionScore>>
  readonly gates: Readonly<Record<string, boolean | null>>
  readonly commentTeam: string
  readonly commentJudges: string
}

export const noScore: CriterionScore = { score: null, why: '', cites: [] }
export const nothingWritten: Written = { scores: {}, gates: {}, commentTeam: '', commentJudges: '' }

/** Also drops what says nothing, so that equal judgements look equal. */
export function readContent(content: JudgementContent): Written {
  return tidy({
    scores: Object.fromEntries(
      Object.entries(content.scores).map(([id, { score, why = '', cites = [] }]) => [
        id,
        { score, why, cites: cites.map(({ seq }) => seq) },
      ]),
    ),
    gates: content.gates ?? {},
    commentTeam: content.comment_team ?? '',
    commentJudges: content.comment_judges ?? '',
  })
}

export function toContent({ scores, gates, commentTeam, commentJudges }: Written): JudgementContent {
  return {
    scores: Object.fromEntries(
      Object.entries(scores).map(([id, { score, why, cites }]) => [
        id,
        {
          score,
          ...(why === '' ? {} : { why }),
          ...(cites.length === 0 ? {} : { cites: cites.map(seq => ({ seq })) }),
        },
      ]),
    ),
    gates,
    comment_team: commentTeam,
    comment_judges: commentJudges,
  }
}

/** In order of ids, without what says nothing. */
export function tidy(written: Written): Written {
  return {
    ...written,
    scores: keep(written.scores, ({ score, why, cites }) => score !== null || why !== '' || cites.length > 0),
    gates: keep(written.gates, passed => passed !== null),
  }
}

function keep<Value>(all: Readonly<Record<string, Value>>, says: (value: Value) => boolean) {
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, value]) => says(value))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** Both must be tidy. */
export function isSame(one: Written, other: Written): boolean {
  return one === other || JSON.stringify(toContent(one)) === JSON.stringify(toContent(other))
}

export function changeScore(written: Written, id: string, change: Partial<CriterionScore>): Written {
  const before = written.scores[id] ?? noScore
  return tidy({ ...written, scores: { ...written.scores, [id]: { ...before, ...change } } })
}

export function toggleCite(written: Written, id: string, seq: number): Written {
  const { cites } = written.scores[id] ?? noScore
  return changeScore(written, id, {
    cites: cites.includes(seq)
      ? cites.filter(each => each !== seq)
      : [...cites, seq].sort((one, other) => one - other),
  })
}

/** Weighted mean from 0 to 1 of the criteria that have a score; null if none has. */
export function weighSoFar(criteria: readonly Criterion[], { scores }: Pick<Written, 'scores'>) {
  let sum = 0
  let weights = 0
  for (const { id, weight, max } of criteria) {
    const { score } = scores[id] ?? noScore
    if (score === null) continue
    sum += (weight * score) / max
    weights += weight
  }
  return weights === 0 ? null : sum / weights
}

/** Names of what still needs an answer. */
export function findMissing(
  criteria: readonly Criterion[],
  gates: readonly Gate[],
  written: Written,
): string[] {
  return [
    ...criteria.filter(({ id }) => (written.scores[id]?.score ?? null) === null),
    ...gates.filter(({ id }) => (written.gates[id] ?? null) === null),
  ].map(({ name }) => name)
}

/** Scores that lie further apart than this share of the maximum are worth a talk: more than 2 points of 5. */
const talkShare = 0.4

export function shouldDiscuss(max: number, scores: readonly (number | null)[]): boolean {
  const given = scores.filter(score => score !== null)
  return given.length > 1 && Math.max(...given) - Math.min(...given) > talkShare * max
}

/** Joined texts can be longer than what the fields take. */
export function tooLong(text: string, most: number): string {
  return `${formatCount(text.length)} of ${formatCount(most)} characters. Shorten it, so that it can be saved.`
}

export function formatMean(mean: number | null): string {
  return mean === null ? '–' : `${(mean * 100).toFixed(1).replace(/\.0$/, '')} %`
}
