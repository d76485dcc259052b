// Changes the JSON of a good reply in any dialect, as a whole or in each piece of a stream.
import { isObject, type Json } from '../src/json.ts'
import { evented, type Family, streamed } from './families.ts'
import { type GoodReply, jsonType, type Script, sendChunked, sendWhole } from './script.ts'

/** The JSON texts of a stream, without `[DONE]`. */
export function splitPieces({ family, bytes }: GoodReply): string[] {
  const text = Buffer.from(bytes).toString()
  if (family === 'array') return (JSON.parse(text) as unknown[]).map(piece => JSON.stringify(piece))
  return text
    .split(/\r?\n\r?\n/)
    .map(event => event.replace(/^(?:event: \w+\r?\n)?data: ?/, ''))
    .filter(piece => piece !== '' && piece !== '[DONE]')
}

/** The pieces, framed as the family does it. Each is sent separately. */
export function framePieces(family: Family, pieces: readonly string[], withEnd = true): string[] {
  if (family === 'array') {
    const framed = pieces.map((piece, index) => `${index === 0 ? '[' : ',\n'}${piece}`)
    return withEnd ? [...framed, pieces.length === 0 ? '[]' : ']'] : framed
  }
  if (family === 'anthropicStream') {
    const given = withEnd ? pieces : pieces.filter(piece => typeIn(piece) !== 'message_stop')
    return given.map(piece => `event: ${typeIn(piece)}\ndata: ${piece}\n\n`)
  }
  const framed = pieces.map(piece => `data: ${piece}\n\n`)
  return withEnd && family === 'openaiStream' ? [...framed, 'data: [DONE]\n\n'] : framed
}

/** Anthropic repeats it as the name of the event. */
const typeIn = (piece: string): string => /"type":\s*"(\w+)"/.exec(piece)?.[1] ?? 'unknown'

export const typeOf = (family: Family): string => (evented.includes(family) ? 'text/event-stream' : jsonType)

export function sendPieces(family: Family, pieces: readonly string[], withEnd = true): Script {
  return sendChunked(framePieces(family, pieces, withEnd), typeOf(family))
}

export type Reshape = (value: Json, place: { readonly index: number; readonly isLast: boolean }) => unknown

/** `change` gets every JSON object of the reply: the only one, or each piece of a stream. Anything else stays unchanged. */
export function reshape(change: Reshape): (good: GoodReply) => Script {
  return good => {
    const change1 = (text: string, index: number, count: number): string => {
      const value: unknown = JSON.parse(text)
      return isObject(value) ? JSON.stringify(change(value, { index, isLast: index === count - 1 })) : text
    }
    if (streamed.includes(good.family)) {
      const pieces = splitPieces(good)
      const changed = pieces.map((piece, index) => change1(piece, index, pieces.length))
      return sendPieces(good.family, changed)
    }
    if (!good.type.includes('json')) return sendWhole(200, good.bytes, good.type)
    return sendWhole(200, change1(Buffer.from(good.bytes).toString(), 0, 1))
  }
}

type Candidate = { readonly content?: { readonly parts?: readonly unknown[] } }

export const candidatesOf = (reply: Json): readonly Candidate[] =>
  Array.isArray(reply.candidates) ? (reply.candidates as Candidate[]) : []

/** Replaces the parts of the first candidate. */
export const withParts = (change: (parts: readonly unknown[]) => unknown): Reshape =>
  withCandidate(candidate => {
    const content = isObject(candidate.content) ? candidate.content : {}
    return {
      ...candidate,
      content: { ...content, parts: change(Array.isArray(content.parts) ? content.parts : []) },
    }
  })

export function withCandidate(change: (candidate: Json) => unknown): Reshape {
  return reply => {
    const [first, ...rest] = candidatesOf(reply)
    return first === undefined ? reply : { ...reply, candidates: [change(first as Json), ...rest] }
  }
}

/** The first choice of an OpenAI-compatible reply: the delta in a stream, or else the message. */
export function withMessage(change: (message: Json) => unknown): Reshape {
  return withChoice(choice => {
    const name = isObject(choice.delta) ? 'delta' : 'message'
    const message = choice[name]
    return { ...choice, [name]: change(isObject(message) ? message : {}) }
  })
}

export function withChoice(change: (choice: Json) => unknown): Reshape {
  return reply => {
    const [first, ...rest] = Array.isArray(reply.choices) ? (reply.choices as Json[]) : []
    return first === undefined ? reply : { ...reply, choices: [change(first), ...rest] }
  }
}

/** The blocks of an Anthropic message: all of them, or the one that begins in a stream. */
export const withBlocks = (change: (blocks: readonly unknown[]) => unknown): Reshape => {
  return reply => {
    if (Array.isArray(reply.content)) return { ...reply, content: change(reply.content) }
    if (!isObject(reply.content_block)) return reply
    const changed = change([reply.content_block])
    return { ...reply, content_block: Array.isArray(changed) ? (changed[0] as unknown) : changed }
  }
}

/** Its end: members of the message, or of the delta in a stream. */
export const withEnd = (end: Json): Reshape => {
  return reply => {
    if (isObject(reply.delta) && reply.type === 'message_delta')
      return { ...reply, delta: { ...reply.delta, ...end } }
    return 'stop_reason' in reply ? { ...reply, ...end } : reply
  }
}

/** The names of the figures in all dialects and in replies to counting. */
const figureNames = {
  prompt: ['promptTokenCount', 'prompt_tokens', 'input_tokens', 'totalTokens'],
  output: ['candidatesTokenCount', 'completion_tokens', 'output_tokens'],
  total: ['totalTokenCount', 'total_tokens'],
  cached: ['cachedContentTokenCount', 'cache_read_input_tokens'],
  written: ['cache_creation_input_tokens'],
  thoughts: ['thoughtsTokenCount'],
} as const

export type Figure = keyof typeof figureNames

/** Sets figures of the usage. Output, cached and thought tokens are added even if the reply did not report them. */
export function setFigures(usage: Json, figures: Partial<Record<Figure, unknown>>): Json {
  const changed: Record<string, unknown> = { ...usage }
  for (const [figure, value] of Object.entries(figures)) {
    for (const name of figureNames[figure as Figure]) {
      if (name in usage) changed[name] = value
    }
    if ('totalTokenCount' in usage && figure === 'output') changed.candidatesTokenCount = value
    if ('totalTokenCount' in usage && figure === 'cached') changed.cachedContentTokenCount = value
    if ('totalTokenCount' in usage && figure === 'thoughts') changed.thoughtsTokenCount = value
    if ('output_tokens_details' in usage && figure === 'thoughts')
      changed.output_tokens_details = { thinking_tokens: value }
    if ('prompt_tokens' in usage && figure === 'cached')
      changed.prompt_tokens_details = { cached_tokens: value }
    if ('completion_tokens' in usage && figure === 'thoughts')
      changed.completion_tokens_details = { reasoning_tokens: value }
  }
  return changed
}

/** `change` gets the usage of the reply in its dialect; undefined removes it. A reply to counting has only usage. */
export function withUsage(
  change: (usage: Json, place: { readonly index: number; readonly isLast: boolean }) => unknown,
): Reshape {
  return (reply, place) => {
    if ('totalTokens' in reply) return change(reply, place) ?? {}
    if (isObject(reply.message)) return { ...reply, message: withUsage(change)(reply.message, place) }
    for (const name of ['usageMetadata', 'usage']) {
      const usage = reply[name]
      if (isObject(usage)) return { ...reply, [name]: change(usage, place) }
    }
    return reply
  }
}
