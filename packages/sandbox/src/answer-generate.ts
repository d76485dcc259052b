// Answers generateContent and streamGenerateContent: switches, troubles, the reply, and its bill.

import type { FindFile } from './files/answer-files.ts'
import { readBody } from './json.ts'
import { readHeader } from './make-trouble.ts'
import { playStream } from './play-stream.ts'
import { readRequest } from './read-request.ts'
import { buildChunks, buildReply } from './reply/build-reply.ts'
import { planReply } from './reply/plan-reply.ts'
import { findSwitches, type Switches } from './switches.ts'
import type { Tools } from './tools.ts'
import { buildErrorBody } from './vendor-error.ts'

export type GenerateCall = {
  readonly model: string
  readonly form: 'unary' | 'sse' | 'array'
  readonly request: Request
  readonly findFile: FindFile
}

export function createGenerate(tools: Tools) {
  const { counters, countCall, commonSwitches, trouble } = tools
  let replies = 0

  const answer = async ({ model, form, request: call, findFile }: GenerateCall): Promise<Response> => {
    const request = readRequest(await readBody(call), model, findFile)
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
    const frame = form === 'sse' ? frameEvent(switches) : frameElement
    const framed = chunks.map((chunk, index) => frame(chunk.body, index))
    const body = playStream({
      pieces: form === 'sse' ? framed : framed.with(-1, `${framed.at(-1)}]`),
      switches,
      tools,
      frameError: (error, index) => frame(buildErrorBody(error), index),
      prompt: 1,
      onEnd: sent => {
        const usage = chunks[sent - 1]?.usage
        // Billed items come at the end of a reply, so a stream that broke off earlier has not delivered them.
        const hasGoods = usage?.candidates === plan.usage.candidates
        if (usage !== undefined) counters.bill(model, usage, hasGoods ? plan.goods : undefined)
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

function frameEvent({ separator }: Switches) {
  const end = separator === 'lf' ? '\n\n' : '\r\n\r\n'
  return (body: object) => `data: ${JSON.stringify(body)}${end}`
}

function frameElement(body: object, index: number): string {
  return `${index === 0 ? '[' : ',\n'}${JSON.stringify(body)}`
}
