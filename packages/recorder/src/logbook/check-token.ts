// Asks the logbook whether it knows a log token, with a request that reads a single entry.
import type { CallLogbook } from './call-logbook.ts'
import { isPage } from './read-page.ts'

export type TokenCheck =
  /** `teamId` is null where the logbook does not say whose token it is. */
  | { readonly state: 'accepted'; readonly teamId: string | null }
  /** The logbook answered that it does not know the token. */
  | { readonly state: 'refused' }
  /** Unknown: there was no answer, or the answer was not a logbook's. */
  | { readonly state: 'unknown'; readonly message: string }

const longestMs = 5000

export async function checkToken(callLogbook: CallLogbook): Promise<TokenCheck> {
  const reply = await callLogbook({
    method: 'GET',
    path: '/api/ingest/entries?limit=1',
    timeoutMs: longestMs,
  })
  if (reply.kind !== 'reply') return { state: 'unknown', message: reply.message }
  if (reply.status === 200 && isPage(reply.body)) return { state: 'accepted', teamId: reply.teamId }
  if (reply.status === 401) return { state: 'refused' }
  return { state: 'unknown', message: `it answered ${reply.status}, not as a logbook` }
}
