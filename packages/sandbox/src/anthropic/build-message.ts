// Turns a plan into Anthropic's message, whole or as the events of a stream. Its types are those of the official client.
import type Anthropic from '@anthropic-ai/sdk'
import { countTokens } from '../count-tokens.ts'
import type { Usage } from '../counters.ts'
import { isObject } from '../json.ts'
import { cutText } from '../play-stream.ts'
import type { Answer } from '../reply/answer.ts'
import type { Switches } from '../switches.ts'
import type { CacheUse } from './prompt-cache.ts'
import type { MessagesRequest } from './read-messages.ts'
import { redactThinking, signThinking } from './sign-thinking.ts'

export type MessagePlan = {
  readonly id: string
  readonly model: string
  readonly blocks: readonly PlannedBlock[]
  readonly stop: Pick<Anthropic.Message, 'stop_reason' | 'stop_sequence' | 'stop_details'>
  readonly usage: Usage
  readonly cache: CacheUse
}

type PlannedBlock = {
  readonly block:
    | Anthropic.TextBlock
    | Anthropic.ThinkingBlock
    | Anthropic.RedactedThinkingBlock
    | Anthropic.ToolUseBlock
  readonly tokens: number
}

type PlanFacts = {
  readonly id: string
  readonly request: MessagesRequest
  readonly answer: Answer
  readonly cache: CacheUse
  readonly switches: Switches
}

export function planMessage({ id, request, answer, cache, switches }: PlanFacts): MessagePlan {
  const { model, promptTokens: prompt } = request
  const reason = switches.blockPrompt ?? switches.finishReason ?? 'STOP'
  const isRefused = reason !== 'STOP'
  const { text, stopSequence } = cutAtStop(answer.text, request.stopSequences)
  const calls = answer.steps
    .flatMap(({ parts }) => parts)
    .flatMap((part, index) => writeCall(part, id, index))
  const textTokens = stopSequence === null ? answer.textTokens : text === '' ? 0 : countTokens(text)
  const blocks: PlannedBlock[] = [
    ...writeThinking(request, answer, switches),
    ...(text === '' || isRefused
      ? []
      : [{ block: { type: 'text', text, citations: null } as const, tokens: textTokens }]),
    ...(isRefused ? [] : calls),
  ]
  const candidates = isRefused ? 0 : answer.steps.reduce((sum, step) => sum + step.candidates, textTokens)
  return {
    id,
    model: model.id,
    blocks,
    stop: isRefused
      ? refuse(reason)
      : {
          stop_reason: readStop(answer, calls.length > 0, stopSequence),
          stop_sequence: stopSequence,
          stop_details: null,
        },
    usage: { prompt, cached: cache.read, candidates, thoughts: answer.thoughts },
    cache,
  }
}

function readStop(
  { finishReason }: Answer,
  isCall: boolean,
  stopSequence: string | null,
): Anthropic.StopReason {
  if (stopSequence !== null) return 'stop_sequence'
  if (isCall) return 'tool_use'
  return finishReason === 'MAX_TOKENS' ? 'max_tokens' : 'end_turn'
}

const reasons: readonly Anthropic.StopReason[] = ['pause_turn', 'model_context_window_exceeded', 'max_tokens']

/** The sandbox's switches also name reasons of other vendors, which are refusals here. */
function refuse(reason: string): MessagePlan['stop'] {
  const known = reasons.find(each => each === reason.toLowerCase())
  if (known !== undefined) return { stop_reason: known, stop_sequence: null, stop_details: null }
  const explanation = `The sandbox was set to refuse: ${reason}.`
  return {
    stop_reason: 'refusal',
    stop_sequence: null,
    stop_details: { type: 'refusal', category: null, explanation },
  }
}

function writeThinking({ thinking }: MessagesRequest, answer: Answer, switches: Switches): PlannedBlock[] {
  if (thinking === null || answer.thought === null) return []
  const tokens = answer.thoughts
  if (switches.redactThinking === true) return [{ block: redactThinking(), tokens }]
  const text = thinking.isShown ? answer.thought : ''
  return [{ block: { type: 'thinking', thinking: text, signature: signThinking(text) }, tokens }]
}

/** Ids are unique in a conversation, as the API demands them back. */
function writeCall(part: object, id: string, index: number): PlannedBlock[] {
  const call = 'functionCall' in part && isObject(part.functionCall) ? part.functionCall : null
  if (call === null) return []
  const { name, args: input } = call
  return [
    {
      block: {
        type: 'tool_use',
        id: `toolu_${id.slice('msg_'.length)}_${index + 1}`,
        name: String(name),
        input,
        caller: { type: 'direct' },
      },
      tokens: countTokens(JSON.stringify({ name, args: input })),
    },
  ]
}

function cutAtStop(text: string, stops: readonly string[]): { text: string; stopSequence: string | null } {
  const found = stops
    .map(stop => ({ stop, at: text.indexOf(stop) }))
    .filter(({ at }) => at >= 0)
    .sort((left, right) => left.at - right.at)[0]
  return found === undefined
    ? { text, stopSequence: null }
    : { text: text.slice(0, found.at), stopSequence: found.stop }
}

export function buildMessage(plan: MessagePlan, switches: Switches): Anthropic.Message {
  const { id, model, blocks, stop, usage } = plan
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks.map(({ block }) => block),
    container: null,
    diagnostics: null,
    ...stop,
    ...buildUsage(plan, usage.candidates + usage.thoughts, usage.thoughts, switches),
  }
}

/** The member `usage`. Without usage the reply does not fit the client's types, which is what that switch is for. */
function buildUsage(
  { usage, cache }: MessagePlan,
  output: number,
  thoughts: number,
  { noUsage, badUsage }: Switches,
): { usage: Anthropic.Usage } {
  if (noUsage === true) return {} as { usage: Anthropic.Usage }
  const { read, written5m, written1h } = cache
  const wrong = { negative: -5, fractional: 2.5, absurd: 9e15 }
  return {
    usage: {
      input_tokens: usage.prompt - read - written5m - written1h,
      cache_creation_input_tokens: written5m + written1h,
      cache_read_input_tokens: read,
      cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h },
      output_tokens: badUsage === undefined ? output : wrong[badUsage],
      output_tokens_details: { thinking_tokens: thoughts },
      server_tool_use: null,
      service_tier: 'standard',
      speed: 'standard',
      inference_geo: 'not_available',
    },
  }
}

type PlannedEvent = {
  readonly event: Anthropic.RawMessageStreamEvent | { readonly type: 'ping' }
  readonly usage: Usage
}

/** `usage`: what is produced with this event, so that a stream is billed as far as it got. */
export function buildEvents(plan: MessagePlan, switches: Switches): readonly PlannedEvent[] {
  const whole = buildMessage(plan, switches)
  const events: PlannedEvent[] = []
  let [candidates, thoughts] = [0, 0]
  const add = (event: PlannedEvent['event']) =>
    events.push({ event, usage: { ...plan.usage, candidates, thoughts } })
  add({
    type: 'message_start',
    message: {
      ...whole,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      ...buildUsage(plan, Math.min(1, plan.usage.candidates + plan.usage.thoughts), 0, switches),
    },
  })
  for (const [index, { block, tokens }] of plan.blocks.entries()) {
    const { start, deltas } = splitBlock(block, switches)
    add({ type: 'content_block_start', index, content_block: start })
    if (index === 0) add({ type: 'ping' })
    for (const [at, delta] of deltas.entries()) {
      // The last piece completes the block's tokens.
      const produced =
        Math.ceil((tokens * (at + 1)) / deltas.length) - Math.ceil((tokens * at) / deltas.length)
      if (/thinking$/.test(block.type)) thoughts += produced
      else candidates += produced
      add({ type: 'content_block_delta', index, delta })
    }
    add({ type: 'content_block_stop', index })
  }
  // Redacted thoughts, and those that no block shows, have no pieces.
  candidates = plan.usage.candidates
  thoughts = plan.usage.thoughts
  const { usage } = whole
  add({
    type: 'message_delta',
    delta: { ...plan.stop, container: null },
    ...(switches.noUsage === true
      ? ({} as { usage: Anthropic.MessageDeltaUsage })
      : {
          usage: {
            input_tokens: usage.input_tokens,
            cache_creation_input_tokens: usage.cache_creation_input_tokens,
            cache_read_input_tokens: usage.cache_read_input_tokens,
            output_tokens: usage.output_tokens,
            output_tokens_details: usage.output_tokens_details,
            server_tool_use: null,
          },
        }),
  })
  add({ type: 'message_stop' })
  return events
}

function splitBlock(
  block: PlannedBlock['block'],
  switches: Switches,
): {
  readonly start: Anthropic.RawContentBlockStartEvent['content_block']
  readonly deltas: readonly Anthropic.RawContentBlockDelta[]
} {
  switch (block.type) {
    case 'text':
      return {
        start: { ...block, text: '' },
        deltas: cutText(block.text, switches.chunks ?? 4).map(text => ({ type: 'text_delta', text })),
      }
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...cutText(block.thinking, 2).map(thinking => ({ type: 'thinking_delta', thinking }) as const),
          { type: 'signature_delta', signature: block.signature },
        ],
      }
    case 'redacted_thinking':
      return { start: block, deltas: [] }
    case 'tool_use': {
      const pieces = cutText(JSON.stringify(block.input), 2)
      return {
        start: { ...block, input: {} },
        deltas: pieces.map(partial_json => ({ type: 'input_json_delta', partial_json })),
      }
    }
  }
}
