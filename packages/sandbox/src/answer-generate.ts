// Answers generateContent and streamGenerateContent: switches, troubles, the reply, and its bill.

import type { Usage } from './counters.ts'
import { readBody } from './json.ts'
import { readHeader } from './make-trouble.ts'
import { readRequest } from './read-request.ts'
import { buildChunks, buildReply, type ReplyChunk } from './reply/build-reply.ts'
import { planReply } from './reply/plan-reply.ts'
import { findSwitches, type Switches } from './switches.ts'
import type { Tools } from './tools.ts'
import { buildErrorBody, VendorError } from './vendor-error.ts'

export type GenerateCall = {
  readonly model: string
  readonly form: 'unary' | 'sse' | 'array'
  readonly request: Request
}

export function createGenerate({ counters, countCall, commonSwitches, trouble, wait }: Tools) {
  let replies = 0

  const answer = async ({ model, form, request: call }: GenerateCall): Promise<Response> => {
    const request = readRequest(await readBody(call), model)
    const switches: Switches = {
      ...commonSwitches(),
      ...findSwitches(request.lastText),
      ...readHeader(call),
    }
    await trouble(switches, call.signal)
    replies += 1
    const responseId = `sandbox-${replies.toString(36).padStart(14, '0')}`
    const isSdk = namesSdk(call.headers)
    const plan = planReply({ model, request, switches, responseId, isStream: form !== 'unary', isSdk })
    if (form === 'unary') {
      counters.bill(model, plan.usage, plan.goods)
      return Response.json(buildReply(plan, switches))
    }
    const chunks = buildChunks(plan, switches)
    const body = writeStream({
      chunks,
      switches,
      form,
      wait,
      onEnd: (usage, isWhole) => {
        // Billed items come at the end of a reply, so a stream that broke off earlier has not delivered them.
        const hasGoods = usage?.candidates === plan.usage.candidates
        if (usage !== null) counters.bill(model, usage, hasGoods ? plan.goods : undefined)
        if (!isWhole) counters.abort()
        counters.end()
      },
    })
    const type = form === 'sse' ? 'text/event-stream' : 'application/json; charset=UTF-8'
    return new Response(body, { headers: { 'content-type': type } })
  }

  return (call: GenerateCall): Promise<Response> =>
    countCall(call.form !== 'unary', call.request, () => answer(call))
}

/**
 * Whether a request comes from one of the vendor's own SDKs, which accept only the vendor's spelling. All of them send the
 * header or identify themselves in their user agent: `google-genai-sdk/3.4.0 gl-python/3.11`.
 */
function namesSdk(headers: Headers): boolean {
  const name = headers.get('x-goog-api-client')?.trim() ?? ''
  return name !== '' || /(?:^|\s)(?:google-gen[\w-]*|genai-[\w-]+)\//i.test(headers.get('user-agent') ?? '')
}

// Sends the chunks of a stream as events or as one growing array, with all requested troubles.

type StreamFacts = {
  readonly chunks: readonly ReplyChunk[]
  readonly switches: Switches
  /** `sse` with `alt=sse`, else one JSON array. */
  readonly form: 'sse' | 'array'
  readonly wait: (milliseconds: number) => Promise<void>
  /** Called once at the end of the stream, with how far it got. */
  readonly onEnd: (usage: Usage | null, isWhole: boolean) => void
}

/** Throws to break the connection; ends early when the reader leaves. */
async function* writeStream(facts: StreamFacts): AsyncGenerator<Uint8Array> {
  const { chunks, switches, wait } = facts
  const frame = facts.form === 'sse' ? frameEvent(switches) : frameElement
  let sent: Usage | null = null
  let isWhole = false
  try {
    for (const [index, chunk] of chunks.entries()) {
      // Without a value, the server breaks the connection and prints nothing about it.
      if (index === switches.cutStream) throw undefined
      if (index === switches.endEarly) {
        isWhole = true
        return
      }
      if (index === switches.errorInStream) {
        yield* split(frame(buildErrorBody(new VendorError(switches.error ?? 503)), index), switches)
        isWhole = true
        return
      }
      if (index > 0 && switches.chunkDelayMs !== undefined) await wait(switches.chunkDelayMs)
      sent = chunk.usage
      yield* split(frame(chunk.body, index), switches)
    }
    if (facts.form === 'array') yield encode(']')
    isWhole = true
  } finally {
    facts.onEnd(sent, isWhole)
  }
}

function frameEvent({ separator }: Switches) {
  const end = separator === 'lf' ? '\n\n' : '\r\n\r\n'
  return (body: object) => `data: ${JSON.stringify(body)}${end}`
}

function frameElement(body: object, index: number): string {
  return `${index === 0 ? '[' : ',\n'}${JSON.stringify(body)}`
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Seven bytes do not divide any character of two, three or four bytes evenly. */
const oddSize = 7

function* split(text: string, { splitUtf8 }: Switches): Generator<Uint8Array> {
  const bytes = encode(text)
  if (splitUtf8 !== true) {
    yield bytes
    return
  }
  for (let start = 0; start < bytes.length; start += oddSize) yield bytes.subarray(start, start + oddSize)
}
