// Finds out what is at an address before it gets a secret: a logbook or a gateway, as wanted, one of its neighbours, or something else.
import { memberAt } from '../json/members.ts'
import type { CallLogbook, LogbookReply } from './call-logbook.ts'

export type Identity =
  | { readonly kind: 'wanted' }
  /** Something else answered. `what` says what it is or did, as the end of a sentence that begins with "it". */
  | { readonly kind: 'other'; readonly what: string }
  | { readonly kind: 'silent'; readonly message: string }

const longestMs = 5000

const doors: Readonly<Record<string, string>> = {
  gateway: 'is the address of the gateway, where models are called',
  logbook: 'is the address of the logbook, where entries go',
  admin: 'is the address of the admin door, which is for the organisers',
}

/** `ask` must not carry a token or key, because we do not know yet who would read it. */
export async function identifyDoor(ask: CallLogbook, wanted: 'gateway' | 'logbook'): Promise<Identity> {
  let reply = await ask({ method: 'GET', path: '/health/live', timeoutMs: longestMs })
  const door = reply.kind === 'reply' ? memberAt(reply.body, 'door') : undefined
  if (door === wanted) return { kind: 'wanted' }
  const neighbour = typeof door === 'string' ? doors[door] : undefined
  if (neighbour !== undefined) return { kind: 'other', what: neighbour }
  if (wanted === 'logbook' && !isSilent(reply)) {
    // Another logbook of the same specification does not have this page and refuses a reader without a token like this.
    reply = await ask({ method: 'GET', path: '/api/ingest/entries?limit=1', timeoutMs: longestMs })
    const code = reply.kind === 'reply' ? memberAt(reply.body, 'error', 'code') : undefined
    if (reply.kind === 'reply' && reply.status === 401 && code === 'unauthorized') return { kind: 'wanted' }
  }
  if (reply.kind !== 'reply') return { kind: 'silent', message: reply.message }
  const { status, location } = reply
  if (status >= 500) return { kind: 'silent', message: `it answered ${status}` }
  if (status >= 300 && status < 400 && location !== null)
    return { kind: 'other', what: `leads to ${location}` }
  return { kind: 'other', what: `answered ${status}, not as a ${wanted}` }
}

function isSilent(reply: LogbookReply): boolean {
  return reply.kind !== 'reply' || reply.status >= 500
}
