// Joins two judgements that were made from the same one on different devices. No text is lost, and two different scores are asked about. Pure.
import { type CriterionScore, noScore, tidy, type Written } from './judgement.ts'

/** A score or a gate that differs between this device and the other one. */
export type Doubt =
  | { readonly kind: 'score'; readonly id: string; readonly other: number | null }
  | { readonly kind: 'gate'; readonly id: string; readonly other: boolean | null }

export type Joined = { readonly written: Written; readonly doubts: readonly Doubt[] }

/** `mine` stays where both have decided differently; the other's value is then in `doubts`. */
export function joinJudgements(base: Written, mine: Written, theirs: Written): Joined {
  const doubts: Doubt[] = []
  const scores: Record<string, CriterionScore> = {}
  for (const id of idsOf(base.scores, mine.scores, theirs.scores)) {
    const [was, own, other] = [base, mine, theirs].map(({ scores: all }) => all[id] ?? noScore) as [
      CriterionScore,
      CriterionScore,
      CriterionScore,
    ]
    const score = choose(was.score, own.score, other.score)
    if (score.isDoubtful) doubts.push({ kind: 'score', id, other: other.score })
    scores[id] = {
      score: score.value,
      why: joinTexts(was.why, own.why, other.why),
      cites: joinCites(was.cites, own.cites, other.cites),
    }
  }
  const gates: Record<string, boolean | null> = {}
  for (const id of idsOf(base.gates, mine.gates, theirs.gates)) {
    const other = theirs.gates[id] ?? null
    const gate = choose(base.gates[id] ?? null, mine.gates[id] ?? null, other)
    if (gate.isDoubtful) doubts.push({ kind: 'gate', id, other })
    gates[id] = gate.value
  }
  const written = tidy({
    scores,
    gates,
    commentTeam: joinTexts(base.commentTeam, mine.commentTeam, theirs.commentTeam),
    commentJudges: joinTexts(base.commentJudges, mine.commentJudges, theirs.commentJudges),
  })
  return { written, doubts }
}

function idsOf(...records: readonly Readonly<Record<string, unknown>>[]): Set<string> {
  return new Set(records.flatMap(record => Object.keys(record)))
}

function choose<Value>(was: Value, own: Value, other: Value) {
  if (own === other || other === was) return { value: own, isDoubtful: false }
  if (own === was) return { value: other, isDoubtful: false }
  return { value: own, isDoubtful: true }
}

/** Added and removed on either side. */
function joinCites(was: readonly number[], own: readonly number[], other: readonly number[]): number[] {
  const found = new Set([...own, ...other])
  for (const seq of was) if (!own.includes(seq) || !other.includes(seq)) found.delete(seq)
  return [...found].sort((one, another) => one - another)
}

const seam = '\n— also written on your other device: '

/**
 * Takes the changes of both sides. If they changed the same place, both texts follow one another. A text that contains the other one
 * is the join, and changes at different places are both made, so that joins of joins do not grow.
 */
export function joinTexts(was: string, own: string, other: string): string {
  if (own === other || other === was) return own
  if (own === was || other.includes(own)) return other
  if (own.includes(other)) return own
  const [mine, theirs] = [findChange(was, own), findChange(was, other)]
  const isApart = (one: Change, two: Change) =>
    one.until <= two.from && !(one.from === two.from && one.until === two.until)
  if (isApart(mine, theirs)) return make(was, mine, theirs)
  if (isApart(theirs, mine)) return make(was, theirs, mine)
  return `${own}${seam}${other}`
}

/** The one place of `was` that became `text`. */
type Change = { readonly from: number; readonly until: number; readonly text: string }

function findChange(was: string, now: string): Change {
  const shorter = Math.min(was.length, now.length)
  let from = 0
  while (from < shorter && was[from] === now[from]) from += 1
  let same = 0
  while (same < shorter - from && was[was.length - 1 - same] === now[now.length - 1 - same]) same += 1
  return { from, until: was.length - same, text: now.slice(from, now.length - same) }
}

function make(was: string, first: Change, second: Change): string {
  const between = was.slice(first.until, second.from)
  return was.slice(0, first.from) + first.text + between + second.text + was.slice(second.until)
}
