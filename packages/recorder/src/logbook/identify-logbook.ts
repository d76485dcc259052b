// Finds out what is at an address before it gets a log token: a logbook, one of its neighbours, or something else.
import type { CallLogbook, LogbookReply } from './call-logbook.ts'

export type Identity =
  | { readonly kind: 'logbook' }
  /** Something else answered. `what` says what it is or did, as the end of a sentence that begins with "it". */
  | { readonly kind: 'other'; readonly what: string }
  | { readonly kind: 'silent'; readonly message: string }

const longestMs = 5000

const neighbours: Readonly<Record<string, string>> = {
  gateway: 'is the address of the gateway, where models are called',
  admin: 'is the address of the admin door, which is for the organisers',
}

/** `ask` must not carry a token, because we do not know yet who would read it. */
export async function identifyLogbook(ask: CallLogbook): Promise<Identity> {
  const health = await ask({ method: 'GET', path: '/health/live', timeoutMs: longestMs })
  const door = readMember(health, 'door')
  if (door === 'logbook') return { kind: 'logbook' }
  const neighbour = typeof door === 'string' ? neighbours[door] : undefined
  if (neighbour !== undefined) return { kind: 'other', what: neighbour }
  const silence = findSilence(health)
  if (silence !== null) return { kind: 'silent', message: silence }
  // Another logbook of the same specification does not have this page and refuses a reader without a token like this.
  const page = await ask({ method: 'GET', path: '/api/ingest/entries?limit=1', timeoutMs: longestMs })
  if (page.kind !== 'reply') return { kind: 'silent', message: page.message }
  const error = readMember(page, 'error')
  const isRefusal = page.status === 401 && isObject(error) && error.code === 'unauthorized'
  if (isRefusal) return { kind: 'logbook' }
  return { kind: 'other', what: describeAnswer(page) }
}

function findSilence(reply: LogbookReply): string | null {
  if (reply.kind !== 'reply') return reply.message
  return reply.status >= 500 ? `it answered ${reply.status}` : null
}

function describeAnswer({ status, location }: LogbookReply & { kind: 'reply' }): string {
  if (status >= 300 && status < 400 && location !== null) return `leads to ${location}`
  return `answered ${status}, not as a logbook`
}

function readMember(reply: LogbookReply, name: string): unknown {
  return reply.kind === 'reply' && isObject(reply.body) ? reply.body[name] : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
