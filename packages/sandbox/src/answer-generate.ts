// Answers generateContent and streamGenerateContent: switches, troubles, the reply, and its bill.
import { readBody } from './json.ts'
import { readHeader } from './make-trouble.ts'
import { readRequest } from './read-request.ts'
import { buildChunks, buildReply } from './reply/build-reply.ts'
import { planReply } from './reply/plan-reply.ts'
import { writeStream } from './reply/write-stream.ts'
import { findSwitches, type Switches } from './switches.ts'
import type { Tools } from './tools.ts'

export type GenerateCall = {
  readonly model: string
  readonly form: 'unary' | 'sse' | 'array'
  readonly request: Request
}

export function createGenerate({ counters, countCall, commonSwitches, trouble, wait }: Tools) {
  let replies = 0

  const answer = async ({ model, form, request: call }: GenerateCall): Promise<Response> => {
    const request = readRequest(await readBody(call))
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
        // Goods come at the end of a reply. A stream that broke off earlier has not delivered them.
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
 * Whether a request comes from one of the vendor's own SDKs, whose models take the vendor's spelling alone. All of them send the
 * header, or name themselves in their user agent: `google-genai-sdk/3.4.0 gl-python/3.11`.
 */
function namesSdk(headers: Headers): boolean {
  const name = headers.get('x-goog-api-client')?.trim() ?? ''
  return name !== '' || /(?:^|\s)(?:google-gen[\w-]*|genai-[\w-]+)\//i.test(headers.get('user-agent') ?? '')
}
