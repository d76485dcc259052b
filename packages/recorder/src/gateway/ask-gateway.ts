// Asks the gateway what a participant's tools will ask it: whose key it is, which models it may call, and for one small answer.
import type { CallLogbook, LogbookReply } from '../logbook/call-logbook.ts'

/** One call of the gateway. Its HTTP client is that of the logbook. */
export type CallGateway = CallLogbook

export type GatewayIdentity =
  | { readonly kind: 'gateway' }
  /** Something else answered. `what` is the end of a sentence that begins with "it". */
  | { readonly kind: 'other'; readonly what: string }
  | { readonly kind: 'silent'; readonly message: string }

const longestMs = 5000

const neighbours: Readonly<Record<string, string>> = {
  logbook: 'is the address of the logbook, where entries go',
  admin: 'is the address of the admin door, which is for the organisers',
}

/** `ask` must not carry a key, because we do not know yet who would read it. */
export async function identifyGateway(ask: CallGateway): Promise<GatewayIdentity> {
  const health = await ask({ method: 'GET', path: '/health/live', timeoutMs: longestMs })
  if (health.kind !== 'reply') return { kind: 'silent', message: health.message }
  const door = readMember(health.body, 'door')
  if (door === 'gateway') return { kind: 'gateway' }
  if (health.status >= 500) return { kind: 'silent', message: `it answered ${health.status}` }
  const neighbour = typeof door === 'string' ? neighbours[door] : undefined
  if (neighbour !== undefined) return { kind: 'other', what: neighbour }
  if (health.status >= 300 && health.status < 400 && health.location !== null)
    return { kind: 'other', what: `leads to ${health.location}` }
  return { kind: 'other', what: `answered ${health.status}, not as a gateway` }
}

export type KeyCheck =
  | {
      readonly state: 'accepted'
      /** The name that the key was given, its team, and what is left of its own budget in USD; null where unknown. */
      readonly alias: string | null
      readonly team: string | null
      readonly left: number | null
    }
  /** The gateway says that this key cannot be used. */
  | { readonly state: 'refused'; readonly message: string }
  | { readonly state: 'unknown'; readonly message: string }

export async function checkKey(call: CallGateway): Promise<KeyCheck> {
  const reply = await call({ method: 'GET', path: '/key/info', timeoutMs: longestMs })
  if (reply.kind !== 'reply') return { state: 'unknown', message: reply.message }
  if (reply.status === 401 || reply.status === 403)
    return { state: 'refused', message: readMessage(reply.body) ?? `it answered ${reply.status}` }
  const info = readMember(reply.body, 'info')
  if (reply.status !== 200 || typeof info !== 'object' || info === null)
    return { state: 'unknown', message: readMessage(reply.body) ?? `it answered ${reply.status}` }
  const [budget, spend] = [readMember(info, 'max_budget'), readMember(info, 'spend')]
  return {
    state: 'accepted',
    alias: readText(info, 'key_alias'),
    team: readText(info, 'team_id'),
    left: typeof budget === 'number' && typeof spend === 'number' ? Math.max(0, budget - spend) : null,
  }
}

/** Names that are not those of models for chat come last. null: the gateway did not answer with a list. */
export async function listModels(call: CallGateway): Promise<string[] | null> {
  const reply = await call({ method: 'GET', path: '/v1/models', timeoutMs: longestMs })
  const data = reply.kind === 'reply' && reply.status === 200 ? readMember(reply.body, 'data') : null
  if (!Array.isArray(data)) return null
  const ids = data.map(item => readText(item, 'id')).filter(id => id !== null)
  const isMedia = (id: string) =>
    /image|img|tts|speech|audio|music|video|embed|transcribe|whisper|rerank/i.test(id)
  return [...ids.filter(id => !isMedia(id)), ...ids.filter(isMedia)]
}

export type ModelAnswer =
  /** `cost` is in USD; null if the gateway does not say. */
  | { readonly state: 'answered'; readonly cost: string | null }
  | {
      readonly state: 'refused'
      readonly status: number
      readonly code: string | null
      readonly message: string
    }
  | { readonly state: 'unknown'; readonly message: string }

const longestAnswerMs = 60_000
/** Enough for one word, also of a model that thinks first. */
const mostTokens = 64

/** `session`: the id under which both the gateway and the logbook know this call. */
export async function callModel(
  call: CallGateway,
  { model, prompt, session }: { readonly model: string; readonly prompt: string; readonly session: string },
): Promise<ModelAnswer> {
  const reply = await call({
    method: 'POST',
    path: '/v1/chat/completions',
    body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }], max_tokens: mostTokens }),
    headers: { 'x-session-id': session, 'user-agent': 'fairgate-recorder' },
    timeoutMs: longestAnswerMs,
  })
  if (reply.kind !== 'reply') return { state: 'unknown', message: reply.message }
  if (reply.status === 200 && Array.isArray(readMember(reply.body, 'choices')))
    return { state: 'answered', cost: reply.cost ?? null }
  return describeRefusal(reply)
}

function describeRefusal(reply: Extract<LogbookReply, { kind: 'reply' }>): ModelAnswer {
  const error = readMember(reply.body, 'error')
  const message = readMessage(reply.body) ?? `it answered ${reply.status}`
  return { state: 'refused', status: reply.status, code: readText(error, 'code'), message }
}

function readMessage(body: unknown): string | null {
  return readText(readMember(body, 'error'), 'message')
}

function readText(value: unknown, name: string): string | null {
  const text = readMember(value, name)
  return typeof text === 'string' && text !== '' ? text : null
}

function readMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([member]) => member === name)?.[1]
}
