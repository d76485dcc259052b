// Answers a message by relaying it to Anthropic's API, unchanged but for the model's name and the output cap. A fallback of another kind
// gets it translated.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { CountTokensRequest, MessagesRequest } from '@fairgate/contracts/messages/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import { textOfBlocks } from '../../../upstream/anthropic/chat/map-chat-response.ts'
import { mapUsage } from '../../../upstream/anthropic/map-usage.ts'
import { asArray, asRecord, asString, type JsonRecord, parseOrNull } from '../../../upstream/narrow-json.ts'
import type { Conversation, Served, UsageReport } from '../../../upstream/port.ts'
import type { MessagesCall } from '../../../upstream/relay-port.ts'
import { hasRemoteImages } from '../../../upstream/remote-media/create-image-inliner.ts'
import { emptyAnswer } from '../../../upstream/upstream-failure.ts'
import { rewriteJson } from '../../../upstream/walk-json.ts'
import { AnswerPieces } from '../../conversation/answer-pieces.ts'
import { type ChatPlan, gatherTexts, planChat, WholeAnswer } from '../../conversation/plan-chat.ts'
import type { Admitted } from '../../flow/admitted.ts'
import type { Caller } from '../../flow/authenticate.ts'
import type { Answer } from '../../flow/call-facts.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import type { AnswerForm } from './build-message.ts'
import { type NativeRequest, pickInput, readNative } from './read-native.ts'
import { MessageInTurn, RelayedMessage } from './relayed-message.ts'

export type Translation = { readonly conversation: Conversation; readonly form: AnswerForm }

/** The dialect's own translation, for fallbacks of other kinds. */
type MessageDialect = {
  readonly translate: (by: CatalogModel) => Translation
  readonly createWriter: (form: AnswerForm) => ConstructorParameters<typeof AnswerPieces>[0]['writer']
  readonly buildBody: (
    result: Awaited<ReturnType<EndpointParts['upstream']['complete']>>,
    form: AnswerForm,
  ) => object
}

/** Throws ApiError `invalid_request` if the request has something that only this API has a form for. */
function translateFor(dialect: MessageDialect, by: CatalogModel): Translation {
  const translation = dialect.translate(by)
  if (!hasRemoteImages(translation.conversation)) return translation
  throw invalidRequest('messages', `${by.id} is a fallback that does not get images by address.`)
}

/** Throws ApiError like the runners of paid calls. */
export function relayMessage(
  parts: EndpointParts,
  caller: Caller,
  call: Call<MessagesRequest>,
  model: CatalogModel,
  dialect: MessageDialect,
): Promise<Response> {
  const { paidCall, paidStream, upstream, messages, askInTurn, clock } = parts
  const { body: request, callId } = call
  const team = caller.team.teamId
  const native = readNative(request, model)
  const betas = readBetas(call.request.headers)
  const plan = planNative(parts, call, native, { model, betas, team })
  const candidatesOf = (admitted: Admitted): readonly [CatalogModel, ...CatalogModel[]] =>
    admitted.isRefined ? [model] : [model, ...plan.fallbacks]
  const capOf = ({ hold }: Admitted, by: CatalogModel) =>
    Math.min(hold.outputCap ?? plan.askedOutput, by.maxOutput)
  const write = (by: CatalogModel, outputCap: number): MessagesCall => ({
    model: by,
    body: {
      ...native.body,
      model: by.upstreamId,
      max_tokens: outputCap,
      ...limitThinking(request, outputCap),
    },
    betas,
  })
  if (request.stream === true) {
    const relay = (admitted: Admitted, by: CatalogModel) =>
      new RelayedMessage({
        modelName: request.model,
        callId,
        expected: { estimatedInput: plan.estimatedInput, outputCap: capOf(admitted, by) },
        open: signal => messages.open(write(by, capOf(admitted, by)), signal, team),
      })
    const translate = (admitted: Admitted, by: CatalogModel) => {
      const { conversation, form } = translateFor(dialect, by)
      const calls = [{ request: conversation, model: by, outputCap: capOf(admitted, by) }]
      return new AnswerPieces({ admitted, plan, writer: dialect.createWriter(form), calls, upstream, clock })
    }
    return paidStream(caller, call, {
      plan,
      translate: admitted =>
        new MessageInTurn(askInTurn, candidatesOf(admitted), by =>
          by.kind === 'anthropic' ? relay(admitted, by) : translate(admitted, by),
        ),
    })
  }
  const relay = async (by: CatalogModel, outputCap: number): Promise<Answered> => {
    const { body, upstreamKey = null } = await messages.call(write(by, outputCap), team)
    return { ...readReply(body, request.model), upstreamKey }
  }
  const translate = async (by: CatalogModel, outputCap: number): Promise<Answered> => {
    const { conversation, form } = translateFor(dialect, by)
    const result = await upstream.complete({ request: conversation, model: by, outputCap }, null, team)
    const { usage, upstreamKey = null } = result
    return {
      usage,
      upstreamKey,
      answer: new WholeAnswer([result]),
      reply: () => JSON.stringify(dialect.buildBody(result, form)),
    }
  }
  return paidCall(caller, call, {
    plan,
    translate: admitted => [admitted],
    ask: admitted =>
      askInTurn(
        candidatesOf(admitted).map(by => ({ model: by })) as [Candidate, ...Candidate[]],
        null,
        ({ model: by }) =>
          by.kind === 'anthropic' ? relay(by, capOf(admitted, by)) : translate(by, capOf(admitted, by)),
      ),
    answerOf: ([{ answer }]) => answer,
    respond: ([{ reply }], headers) =>
      new Response(reply(), { headers: { ...headers, 'content-type': 'application/json' } }),
  })
}

type Candidate = { readonly model: CatalogModel }

type Answered = Served & {
  readonly usage: UsageReport
  readonly answer: Answer
  /** Throws ApiError for an answer that is a fault. */
  readonly reply: () => string | Uint8Array
}

/** The exact input tokens of a request, free of charge. */
export function countNative(
  { messages }: Pick<EndpointParts, 'messages'>,
  caller: Caller,
  {
    body: request,
    signal,
    request: { headers },
  }: Pick<Call<CountTokensRequest>, 'body' | 'signal' | 'request'>,
  model: CatalogModel,
): Promise<number> {
  const { body } = readNative(request, model)
  const counted = { ...pickInput(body), model: model.upstreamId }
  return messages.countTokens({ model, body: counted, betas: readBetas(headers) }, signal, caller.team.teamId)
}

type Asked = { readonly model: CatalogModel; readonly betas: string | null; readonly team: string }

/** Planned like a chat turn of the size of what is relayed, and counted by Anthropic in the same form. */
function planNative(
  { minimumUsefulOutput, messages }: Pick<EndpointParts, 'minimumUsefulOutput' | 'messages'>,
  call: Call<MessagesRequest>,
  { body, size, writes }: NativeRequest,
  { model, betas, team }: Asked,
): ChatPlan {
  const { model: name, max_tokens: cap, messages: said } = call.body
  const fallbacks = model.fallbacks.filter(
    by => by.kind !== 'anthropic' || [...writes].every(unit => hasPrice(by, unit)),
  )
  const countInput = (_: unknown, by: CatalogModel) => {
    const counted = { ...pickInput(body), model: by.upstreamId }
    return messages.countTokens({ model: by, body: counted, betas }, call.signal, team).catch(() => null)
  }
  const plan = planChat(
    { model: name, messages: [], max_tokens: cap },
    { ...model, fallbacks },
    () => call.signal,
    { minimumUsefulOutput, countInput },
    'messages',
    size,
  )
  return { ...plan, texts: () => gatherTexts({ messages: listTexts(said) }) }
}

function hasPrice({ price }: CatalogModel, unit: 'cacheWrite5m' | 'cacheWrite1h'): boolean {
  return price.tiers[0].rates[unit] !== undefined
}

/** What was typed, and what tools returned. */
function listTexts(messages: MessagesRequest['messages']): Conversation['messages'] {
  return messages.flatMap(({ role, content }): Conversation['messages'] => {
    if (role !== 'user') return []
    if (typeof content === 'string') return [{ role, content }]
    return content.flatMap((block): Conversation['messages'] => {
      if (block.type === 'text') return [{ role, content: block.text }]
      if (block.type !== 'tool_result') return []
      const { content: result } = block
      const text =
        typeof result === 'string'
          ? result
          : (result ?? []).map(part => (part.type === 'text' ? part.text : '')).join('\n')
      return [{ role: 'tool', tool_call_id: block.tool_use_id, content: text }]
    })
  })
}

/** The API refuses a budget that is not below the cap, which may have been lowered. */
function limitThinking({ thinking, max_tokens: asked }: MessagesRequest, outputCap: number): object {
  const budget = thinking?.type === 'enabled' ? (thinking.budget_tokens ?? 0) : 0
  return outputCap < asked && budget >= outputCap
    ? { thinking: { ...thinking, budget_tokens: Math.max(1, outputCap - 1) } }
    : {}
}

/** Throws ApiError `upstream_error` for a reply that is not a message. */
function readReply(body: Uint8Array, modelName: string): Omit<Answered, 'upstreamKey'> {
  const message: JsonRecord | null = asRecord(parseOrNull(Buffer.from(body).toString()))
  if (message === null || message.type !== 'message') throw emptyAnswer()
  const blocks = asArray(message.content).map(block => asRecord(block) ?? {})
  const stopReason = asString(message.stop_reason)
  const named = rewriteJson(body, path => (path.length === 1 && path[0] === 'model' ? modelName : null))
  return {
    usage: mapUsage(asRecord(message.usage)),
    answer: {
      text: () => textOfBlocks(blocks) || null,
      finishReasons: () => (stopReason === null ? [] : [stopReason]),
    },
    reply: () => named ?? body,
  }
}

/**
 * Betas that change the form of requests and answers, but neither prices nor what an answer may reach. Not among them, for example: faster
 * answers, other models as fallbacks, servers' tools, and files and skills of the account.
 */
const harmlessBetas: ReadonlySet<string> = new Set([
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'fine-grained-tool-streaming-2025-05-14',
  'token-efficient-tools-2025-02-19',
  'output-128k-2025-02-19',
  'prompt-caching-2024-07-31',
  'extended-cache-ttl-2025-04-11',
  'pdfs-2024-09-25',
  'token-counting-2024-11-01',
  'context-management-2025-06-27',
  'model-context-window-exceeded-2025-08-26',
  'structured-outputs-2025-11-13',
  'structured-outputs-2025-12-15',
  'advanced-tool-use-2025-11-20',
  'effort-2025-11-24',
  'redact-thinking-2026-02-12',
  'thinking-token-count-2026-05-13',
  'mid-conversation-tool-changes-2026-07-01',
  'mid-conversation-output-config-2026-07-01',
  'per-turn-control-2026-07-01',
  'thinking-display-updates-2026-08-18',
])

/** The header `anthropic-beta` that may be relayed; null for none. Others have no effect, as with every other model. */
function readBetas(headers: Headers): string | null {
  const given = (headers.get('anthropic-beta') ?? '').split(',').map(beta => beta.trim())
  const kept = given.filter(beta => harmlessBetas.has(beta))
  return kept.length === 0 ? null : [...new Set(kept)].join(',')
}
