// Checks every reply, whatever the upstream did: complete, in its dialect's format, with nothing that the client must not see.
import { secrets } from '@fairgate/sandbox/hostile/script.ts'
import { adminKey, upstreamKey } from '../start-fairgate.ts'
import type { CallForm, Endpoint } from './endpoints.ts'

export type SeenReply = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Why the client could not read it to its end; null if it could. */
  readonly broken: string | null
  readonly milliseconds: number
}

/** Reads a reply to its end; a connection that fails is a reply too. */
export async function readReply(asked: Promise<Response>): Promise<SeenReply> {
  const started = performance.now()
  const seen = { status: 0, headers: new Headers(), text: '', broken: null as string | null }
  try {
    const response = await asked
    seen.status = response.status
    seen.headers = response.headers
    seen.text = Buffer.from(await response.bytes()).toString('latin1')
  } catch (error) {
    seen.broken = String(error)
  }
  return { ...seen, milliseconds: performance.now() - started }
}

const forbidden: readonly string[] = [
  secrets.key,
  secrets.project,
  upstreamKey,
  adminKey,
  'what only this machine may read',
  'root:x:0:0',
  'node_modules',
]

const longestRetrySeconds = 24 * 3600

/** Describes what is wrong with a reply; empty if nothing is. */
export function judgeReply(
  reply: SeenReply,
  { dialect, form }: { readonly dialect: Endpoint['dialect']; readonly form: CallForm | 'look' | 'download' },
): string[] {
  const { status, headers, text, broken } = reply
  // There is no other way to report a file that ends too early.
  if (broken !== null) return form === 'download' ? [] : [`the connection broke: ${broken}`]
  const faults: string[] = []
  for (const secret of forbidden) if (text.includes(secret)) faults.push(`shows ${secret}`)
  if (status === 500 || text.includes('"internal"')) faults.push(`${status} internal: ${text.slice(0, 200)}`)
  const retryAfter = headers.get('retry-after')
  if (retryAfter !== null && !(/^\d+$/.test(retryAfter) && Number(retryAfter) <= longestRetrySeconds))
    faults.push(`retry-after: ${retryAfter}`)
  if (!headers.has('x-gateway-call-id')) faults.push('no call id')
  const cost = headers.get('x-gateway-response-cost')
  if (cost !== null && !/^\d+(\.\d+)?$/.test(cost)) faults.push(`cost ${cost}`)
  if (status === 200 && (form === 'json' || form === 'file' || form === 'order') && cost === null)
    faults.push('no cost header on an answer')
  if (headers.has('x-injected')) faults.push('a header of the upstream got through')
  if (form === 'download' && status < 300) return faults
  if (status !== 200) faults.push(...judgeError(text, dialect))
  else if (form === 'events') faults.push(...judgeEvents(text, dialect))
  // The pass-through forwards what the vendor wrote, JSON or not.
  else if (form !== 'file' && dialect === 'openai' && parse(text) === undefined)
    faults.push(`no JSON: ${text.slice(0, 100)}`)
  return faults
}

function judgeError(text: string, dialect: Endpoint['dialect']): string[] {
  const found = errorIn(parse(text))
  if (found === null) return [`no error of its dialect: ${text.slice(0, 100)}`]
  const names = Object.keys(found)
  const needed = dialect === 'vendor' ? ['code', 'message', 'status'] : ['message', 'type', 'param', 'code']
  const missing = needed.filter(name => !names.includes(name))
  if (missing.length > 0) return [`an error without ${missing.join(', ')}: ${text.slice(0, 100)}`]
  if (dialect === 'openai' && typeof found.code !== 'string')
    return [`an error whose code is ${typeof found.code}`]
  return typeof found.message === 'string' ? [] : ['an error without a message']
}

/** Each event has JSON; OpenAI's streams end with `[DONE]`, also after an error, those of the other dialects with an event that says how. */
function judgeEvents(text: string, dialect: Endpoint['dialect']): string[] {
  const lines = text.split(/\r?\n/).filter(line => line !== '' && !line.startsWith(':'))
  const odd = lines.find(line => !line.startsWith('data: ') && !line.startsWith('event: '))
  if (odd !== undefined && dialect === 'openai') return [`a line that is no event: ${odd.slice(0, 80)}`]
  if (dialect === 'vendor') return []
  const pieces = lines.filter(line => line.startsWith('data: ')).map(line => line.slice(6))
  const broken = pieces.find(piece => piece !== '[DONE]' && parse(piece) === undefined)
  if (broken !== undefined) return [`an event that is no JSON: ${broken.slice(0, 80)}`]
  const hasError = pieces.some(piece => errorIn(parse(piece)) !== null)
  const hasEnd =
    endings.includes(pieces.at(-1) ?? '') || /^event: response\.(?:completed|incomplete|failed)$/m.test(text)
  return hasError || hasEnd ? [] : ['a stream without its end']
}

const endings: readonly string[] = ['[DONE]', '{"type":"message_stop"}']

export function errorIn(value: unknown): Readonly<Record<string, unknown>> | null {
  const [outer] = Array.isArray(value) ? (value as unknown[]) : [value]
  const first = typeof outer === 'object' && outer !== null && 'response' in outer ? outer.response : outer
  if (typeof first !== 'object' || first === null || !('error' in first)) return null
  const { error } = first
  return typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>) : null
}

/** Undefined if it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'latin1').toString()) as unknown
  } catch {
    return undefined
  }
}
