// Checks what a judge writes about a team against the set-up. Pure.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { JudgementContent } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { refuseValue } from '../directory/refusals.ts'

export const emptyContent: JudgementContent = { scores: {} }

/**
 * What belongs to the set-up: criteria and gates that it no longer has are left out, because a page may have been open since before. Throws
 * ApiError `invalid_request` for a score above the max.
 */
export function keepKnown(
  { criteria, gates = [] }: JudgingSetup,
  { scores, gates: answers = {}, comment_team = '', comment_judges = '' }: JudgementContent,
): JudgementContent {
  const kept: JudgementContent = { scores: {}, gates: {}, comment_team, comment_judges }
  for (const { id, name, max } of criteria) {
    const given = Object.hasOwn(scores, id) ? scores[id] : undefined
    if (given === undefined) continue
    if ((given.score ?? 0) > max)
      throw refuseValue(`scores.${id}.score`, `"${name}" goes from 0 to ${max}, and ${given.score} was sent.`)
    kept.scores[id] = given
  }
  const known = gates.filter(({ id }) => Object.hasOwn(answers, id))
  return { ...kept, gates: Object.fromEntries(known.map(({ id }) => [id, answers[id] ?? null])) }
}

/** Throws ApiError `invalid_request` that names what is missing. */
export function requireComplete(
  { criteria, gates = [] }: JudgingSetup,
  { scores, gates: answers = {} }: JudgementContent,
): void {
  const unscored = criteria.filter(({ id }) => (scores[id]?.score ?? null) === null)
  const unanswered = gates.filter(({ id }) => (answers[id] ?? null) === null)
  const missing = [
    ...(unscored.length === 0 ? [] : [`a score for ${listNames(unscored)}`]),
    ...(unanswered.length === 0 ? [] : [`an answer for ${listNames(unanswered)}`]),
  ]
  if (missing.length === 0) return
  throw invalidRequest(
    unscored.length === 0 ? 'gates' : 'scores',
    `To finish, add ${missing.join(', and ')}. If you could not judge the team, say so instead.`,
  )
}

/** Entries are numbered from 1 without gaps. Throws ApiError `invalid_request` for one that the team does not have. */
export function requireCited({ scores }: JudgementContent, newestEntry: number): void {
  for (const [id, { cites = [] }] of Object.entries(scores)) {
    const unknown = cites.find(({ seq }) => seq > newestEntry)
    if (unknown !== undefined)
      throw refuseValue(
        `scores.${id}.cites`,
        `this team has no entry ${unknown.seq}; its newest is ${newestEntry}. Remove that one.`,
      )
  }
}

/** `opensAt`, `closesAt`: Unix ms. Throws ApiError `scores_closed` with the time. */
export function requireOpen(
  { opensAt, closesAt }: { readonly opensAt: number | null; readonly closesAt: number | null },
  now: number,
  formatTime: (at: number) => string,
): void {
  if (opensAt !== null && now < opensAt)
    throw new ApiError('scores_closed', {
      message: `Scores can be written from ${formatTime(opensAt)} on. Reading is possible before.`,
    })
  if (closesAt !== null && now >= closesAt)
    throw new ApiError('scores_closed', {
      message: `Scores could be written until ${formatTime(closesAt)}. Ask the head judge, who can still enter them from paper.`,
    })
}

function listNames(items: readonly { readonly name: string }[]): string {
  const names = items.map(({ name }) => `"${name}"`)
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
