// Makes the requests to the gateway that a participant's tools will make: owner of the key, models it can call, and one small answer.
import { isObject, memberAt, textOf } from '../json/members.ts'
import type { CallLogbook } from '../logbook/call-logbook.ts'

/** One call of the gateway. Its HTTP client is that of the logbook. */
export type CallGateway = CallLogbook

const longestMs = 5000

export type KeyCheck =
  | {
      readonly state: 'accepted'
      /** The name that the key was given, its team, and what is left of its own budget in USD; null if unknown. */
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
  const info = memberAt(reply.body, 'info')
  if (reply.status !== 200 || !isObject(info))
    return { state: 'unknown', message: readMessage(reply.body) ?? `it answered ${reply.status}` }
  const { max_budget: budget, spend } = info
  return {
    state: 'accepted',
    alias: textOf(info, 'key_alias'),
    team: textOf(info, 'team_id'),
    left: typeof budget === 'number' && typeof spend === 'number' ? Math.max(0, budget - spend) : null,
  }
}

/** Names that are not those of models for chat come last. null: the gateway did not answer with a list. */
export async function listModels(call: CallGateway): Promise<string[] | null> {
  const reply = await call({ method: 'GET', path: '/v1/models', timeoutMs: longestMs })
  const data = reply.kind === 'reply' && reply.status === 200 ? memberAt(reply.body, 'data') : null
  if (!Array.isArray(data)) return null
  const ids = data.map(item => textOf(item, 'id')).filter(id => id !== null)
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
const maxTokens = 64

/** `session`: the id under which both the gateway and the logbook know this call. */
export async function callModel(
  call: CallGateway,
  { model, prompt, session }: { readonly model: string; readonly prompt: string; readonly session: string },
): Promise<ModelAnswer> {
  const reply = await call({
    method: 'POST',
    path: '/v1/chat/completions',
    body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }], max_tokens: maxTokens }),
    headers: { 'x-session-id': session, 'user-agent': 'fairgate-recorder' },
    timeoutMs: longestAnswerMs,
  })
  if (reply.kind !== 'reply') return { state: 'unknown', message: reply.message }
  if (reply.status === 200 && Array.isArray(memberAt(reply.body, 'choices')))
    return { state: 'answered', cost: reply.cost ?? null }
  const message = readMessage(reply.body) ?? `it answered ${reply.status}`
  return {
    state: 'refused',
    status: reply.status,
    code: textOf(memberAt(reply.body, 'error'), 'code'),
    message,
  }
}

function readMessage(body: unknown): string | null {
  return textOf(memberAt(body, 'error'), 'message')
}
