// Plays Anthropic's API below /anthropic/v1/: the key, the version, messages with a prompt cache, token counts and models.
import { isObject, type Json } from '../json.ts'
import type { SandboxKeys } from '../keys.ts'
import { readHeader } from '../make-trouble.ts'
import { playStream } from '../play-stream.ts'
import { planChat } from '../reply/plan-chat.ts'
import { findSwitches, type Switches } from '../switches.ts'
import type { Tools } from '../tools.ts'
import { VendorError } from '../vendor-error.ts'
import { buildAnthropicError } from './anthropic-error.ts'
import { buildEvents, buildMessage, planMessage } from './build-message.ts'
import { describeClaude, listClaude } from './models.ts'
import { type CacheUse, createPromptCache } from './prompt-cache.ts'
import { type MessagesRequest, readMessages } from './read-messages.ts'

export type AnthropicFacts = { readonly tools: Tools; readonly keys: SandboxKeys }

const largestBody = 32 << 20
/** The newest is first. */
const versions = ['2026-10-21', '2023-06-01']

/** Throws VendorError for requests that the API refuses. */
export function createAnthropic({ tools, keys }: AnthropicFacts) {
  const useCache = createPromptCache(tools.now)
  let replies = 0

  const answer = async (
    request: MessagesRequest,
    call: Request,
    { key, requestId }: { readonly key: string; readonly requestId: string },
  ): Promise<Response> => {
    const switches: Switches = {
      ...tools.commonSwitches(),
      ...findSwitches(request.asked.lastText),
      ...readHeader(call),
    }
    await tools.trouble(switches, call.signal)
    replies += 1
    const id = `msg_sandbox_${replies}`
    const { model, asked, isStream } = request
    const plan = planMessage({
      id,
      request,
      answer: planChat({
        model: model.id,
        request: asked,
        switches: request.isSingleCall
          ? { ...switches, toolCalls: Math.min(1, switches.toolCalls ?? 1) }
          : switches,
        responseId: id,
        isStream,
        isSdk: false,
      }),
      cache: applySwitch(useCache(`${key} ${model.id}`, request.blocks), request, switches),
      switches,
    })
    const { written5m, written1h } = plan.cache
    const goods = { cacheWrite5mTokens: written5m, cacheWrite1hTokens: written1h }
    const headers = { 'request-id': requestId }
    if (!isStream) {
      tools.counters.bill(model.id, plan.usage, goods, key)
      return Response.json(buildMessage(plan, switches), { headers })
    }
    const events = buildEvents(plan, switches)
    const frame = frameEvent(switches)
    const body = playStream({
      pieces: events.map(({ event }) => frame(event)),
      switches,
      tools,
      frameError: error => frame(buildAnthropicError(error, requestId)),
      // Until the first text there are the start of the message and of a block, and a ping.
      prompt: 4,
      onEnd: sent => {
        const usage = events[sent - 1]?.usage
        if (usage !== undefined) tools.counters.bill(model.id, usage, goods, key)
      },
    })
    return new Response(body, { headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' } })
  }

  return async (request: Request, path: string, requestId: string): Promise<Response> => {
    const key = checkKey(request, keys)
    const isNewest = readVersion(request) === versions[0]
    const beta = request.headers.get('anthropic-beta')
    const send = (body: object) => Response.json(body, { headers: { 'request-id': requestId } })
    if (request.method === 'GET' && path === 'models')
      return send(listClaude(new URL(request.url).searchParams))
    if (request.method === 'GET' && path.startsWith('models/'))
      return send(describeClaude(decodeURIComponent(path.slice('models/'.length))))
    if (request.method !== 'POST') throw new VendorError(404, 'Not Found')
    if (path === 'messages/count_tokens') {
      tools.counters.count()
      const { promptTokens } = readMessages(await readBody(request), { beta, isNewest, isCount: true })
      return send({ input_tokens: promptTokens })
    }
    if (path !== 'messages') throw new VendorError(404, 'Not Found')
    const body = await readBody(request)
    return tools.countCall(body.stream === true, request, () =>
      answer(readMessages(body, { beta, isNewest, isCount: false }), request, { key, requestId }),
    )
  }
}

/** `cachedTokens` replaces what the cache knows. */
function applySwitch(
  used: CacheUse,
  { promptTokens }: MessagesRequest,
  { cachedTokens }: Switches,
): CacheUse {
  if (cachedTokens === undefined) return used
  return { read: Math.min(cachedTokens, promptTokens), written5m: 0, written1h: 0 }
}

/** The API takes its own keys in a header of its own; the tokens of its programs come as a bearer. */
function checkKey(request: Request, keys: SandboxKeys): string {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  const key = request.headers.get('x-api-key') ?? bearer
  if (key === undefined) throw new VendorError(401, 'x-api-key header is required')
  try {
    keys.check(key)
  } catch (error) {
    const isQuota = error instanceof VendorError && error.code === 429
    if (!isQuota) throw new VendorError(401, 'invalid x-api-key')
    // A quota of the day stands for money that is used up.
    if (!JSON.stringify(error.details).includes('PerDay')) throw error
    throw new VendorError(
      400,
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    )
  }
  return key
}

function readVersion(request: Request): string {
  const version = request.headers.get('anthropic-version')
  if (version === null) throw new VendorError(400, 'anthropic-version: header is required')
  if (versions.includes(version)) return version
  throw new VendorError(400, `anthropic-version: "${version}" is not a valid version`)
}

async function readBody(request: Request): Promise<Json> {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > largestBody) throw new VendorError(413, 'Request exceeds the maximum size')
  try {
    const body: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (isObject(body)) return body
  } catch {
    // Said below.
  }
  throw new VendorError(400, 'The request body is not valid JSON: expected a JSON object')
}

function frameEvent({ separator }: Switches) {
  const end = separator === 'crlf' ? '\r\n' : '\n'
  return (event: { readonly type: string }) =>
    `event: ${event.type}${end}data: ${JSON.stringify(event)}${end}${end}`
}
