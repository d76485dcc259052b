// Asks the logbook whether it knows a log token, with one request that reads a single entry.
import { createCallLogbook } from './call-logbook.ts'

export type TokenCheck =
  | { readonly state: 'accepted' }
  /** The logbook answered that it does not know the token. */
  | { readonly state: 'refused' }
  /** Nothing is known: there was no answer, or not that of a logbook. */
  | { readonly state: 'unknown'; readonly message: string }

const longestMs = 5000

export async function checkToken(logbookUrl: string, token: string): Promise<TokenCheck> {
  const callLogbook = await createCallLogbook(logbookUrl, token)
  const reply = await callLogbook({
    method: 'GET',
    path: '/api/ingest/entries?limit=1',
    timeoutMs: longestMs,
  })
  if (reply.kind !== 'reply') return { state: 'unknown', message: reply.message }
  if (reply.status === 200 && isPage(reply.body)) return { state: 'accepted' }
  if (reply.status === 401) return { state: 'refused' }
  return { state: 'unknown', message: `${logbookUrl} answered ${reply.status}, not as a logbook` }
}

function isPage(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'items' in body && Array.isArray(body.items)
}
