// Reads the team's entries from the logbook (spec 4.2): a page, or a single one to ask whether it knows the log token.
import type { EntriesPage } from '@fairgate/contracts/logbook/entries-page.ts'
import { maximumPageSize } from '@fairgate/contracts/logbook/limits.ts'
import { isObject, memberAt, textOf } from '../json/members.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import type { CallLogbook } from './call-logbook.ts'

export type PageQuestion = {
  readonly limit: number
  /** `next_before` of the previous page, or a time in ISO 8601. */
  readonly before: string | null
  readonly event?: string
  readonly tool?: string
}

const longestMs = 30_000

/** Throws UserFailure with a sentence for the user. */
export async function readPage(callLogbook: CallLogbook, question: PageQuestion): Promise<EntriesPage> {
  const query = new URLSearchParams({ limit: String(Math.min(question.limit, maximumPageSize)) })
  if (question.before !== null) query.set('before', question.before)
  if (question.event) query.set('event', question.event)
  if (question.tool) query.set('tool', question.tool)
  const reply = await callLogbook({
    method: 'GET',
    path: `/api/ingest/entries?${query}`,
    timeoutMs: longestMs,
  })
  if (reply.kind !== 'reply')
    throw new UserFailure(
      `The logbook cannot be reached: ${reply.message}. Try again later; "fairgate-recorder doctor" checks its address.`,
    )
  if (reply.status === 401)
    throw new UserFailure(
      'The logbook does not know the log token. Ask the organisers for a new one, and run "fairgate-recorder init".',
    )
  if (reply.status !== 200 || !isPage(reply.body)) {
    const message = textOf(memberAt(reply.body, 'error'), 'message')
    throw new UserFailure(`The logbook answered ${reply.status}${message === null ? '' : `: ${message}`}.`)
  }
  return reply.body
}

function isPage(body: unknown): body is EntriesPage {
  return isObject(body) && Array.isArray(body.items) && 'next_before' in body
}

export type TokenCheck =
  /** `teamId` is null if the logbook does not say which team the token belongs to. */
  | { readonly state: 'accepted'; readonly teamId: string | null }
  /** The logbook answered that it does not know the token. */
  | { readonly state: 'refused' }
  /** Unknown: there was no answer, or the answer was not a logbook's. */
  | { readonly state: 'unknown'; readonly message: string }

const longestCheckMs = 5000

export async function checkToken(callLogbook: CallLogbook): Promise<TokenCheck> {
  const reply = await callLogbook({
    method: 'GET',
    path: '/api/ingest/entries?limit=1',
    timeoutMs: longestCheckMs,
  })
  if (reply.kind !== 'reply') return { state: 'unknown', message: reply.message }
  if (reply.status === 200 && isPage(reply.body)) return { state: 'accepted', teamId: reply.teamId }
  if (reply.status === 401) return { state: 'refused' }
  return { state: 'unknown', message: `it answered ${reply.status}, not as a logbook` }
}
