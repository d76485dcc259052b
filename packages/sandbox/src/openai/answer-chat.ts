// Answers chat/completions of an OpenAI-compatible upstream: an echo, JSON by a schema, or tool calls, whole or as a stream.
import { countTokens, writeText } from '../count-tokens.ts'
import type { Usage } from '../counters.ts'
import { invalid, isObject, type Json } from '../json.ts'
import { cutText, playStream } from '../play-stream.ts'
import { type DeclaredTool, planEdit } from '../reply/plan-edit.ts'
import { sampleValue } from '../reply/sample-value.ts'
import { hasSwitches, type Switches } from '../switches.ts'
import type { OpenaiCall } from './openai-call.ts'
import { buildOpenaiError } from './openai-error.ts'
import { lastPrompt, textOf } from './read-prompt.ts'

type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string }
type Plan = {
  readonly content: string
  readonly calls: readonly ToolCall[]
  readonly finishReason: string
  readonly usage: Usage
}

const freeLength = 40
/** A fixed time, so that the sandbox's answers are always the same. */
const created = 1_700_000_000

export function createChat() {
  let replies = 0
  return (call: OpenaiCall): Response => {
    const { body, model, switches, tools } = call
    const plan = planCompletion(body, switches)
    replies += 1
    const head = { id: `chatcmpl-sandbox-${replies}`, created, model }
    if (body.stream !== true) {
      tools.counters.bill(model, plan.usage)
      return Response.json({
        ...head,
        object: 'chat.completion',
        choices: [
          { index: 0, message: buildMessage(plan), logprobs: null, finish_reason: plan.finishReason },
        ],
        ...(switches.noUsage === true ? {} : { usage: buildUsage(plan.usage) }),
      })
    }
    const stream = streamChunks(call, plan, { ...head, object: 'chat.completion.chunk' })
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  }
}

/** Throws VendorError 400 without messages. */
function planCompletion(body: Json, switches: Switches): Plan {
  const { messages } = body
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isObject)) {
    throw invalid("'messages' must be a list of at least one message.")
  }
  const prompt = messages.reduce((sum, message) => sum + countMessage(message), 0)
  const cached = Math.min(switches.cachedTokens ?? 0, prompt)
  const cap = Number(body.max_completion_tokens ?? body.max_tokens ?? 8_192)
  if (!Number.isSafeInteger(cap) || cap < 1) throw invalid('max_tokens must be a positive integer.')
  const thoughts = Math.min(switches.thinkingTokens ?? 0, cap)
  const usage = (candidates: number) => ({ prompt, cached, candidates, thoughts })
  const last: Json = messages.at(-1) ?? {}
  const tools = Array.isArray(body.tools) ? body.tools.filter(isObject) : []
  const count = last.role === 'tool' || body.tool_choice === 'none' ? 0 : (switches.toolCalls ?? 1)
  const edit =
    switches.editFile === undefined || tools.length === 0
      ? null
      : planEdit(switches.editFile, tools.map(readTool), hasCalledSince(messages))
  const calls = edit === null ? sampleCalls(tools, count) : edit.kind === 'call' ? [edit] : []
  if (calls.length > 0) {
    const tokens = calls.reduce((sum, call) => sum + countTokens(call.name + JSON.stringify(call.args)), 0)
    return {
      content: '',
      calls: calls.map(writeCall),
      finishReason: 'tool_calls',
      usage: usage(Math.min(tokens, cap - thoughts)),
    }
  }
  if (switches.finishReason !== undefined && switches.finishReason !== 'stop') {
    return { content: '', calls: [], finishReason: switches.finishReason, usage: usage(0) }
  }
  const fixed = edit?.kind === 'say' ? edit.text : writeFixed(body)
  const wanted = fixed === null ? (switches.outputTokens ?? freeLength) : countTokens(fixed)
  const tokens = Math.min(wanted, cap - thoughts)
  const text = fixed ?? writeText(tokens, begin(body, last), switches.splitUtf8 === true)
  const content = Array.from(text)
    .slice(0, tokens * 4)
    .join('')
  return { content, calls: [], finishReason: tokens < wanted ? 'length' : 'stop', usage: usage(tokens) }
}

function countMessage(message: Json): number {
  const calls = message.tool_calls === undefined ? '' : JSON.stringify(message.tool_calls)
  return countTokens(textOf(message.content) + calls)
}

function writeFixed({ response_format: format }: Json): string | null {
  if (!isObject(format)) return null
  if (format.type === 'json_object') return JSON.stringify({ answer: 'sandbox' })
  if (format.type !== 'json_schema' || !isObject(format.json_schema)) return null
  return JSON.stringify(sampleValue(format.json_schema.schema))
}

function begin(body: Json, last: Json): string {
  const quoted = lastPrompt(body).replaceAll(/\s+/g, ' ').trim().slice(0, 60)
  return last.role === 'tool' ? `The tool returned ${quoted}. ` : `You said "${quoted}". `
}

/** Whether a tool has answered since the prompt with the newest switches, or at all if the switches come from elsewhere. */
function hasCalledSince(messages: readonly Json[]): boolean {
  const prompt = messages.findLastIndex(
    ({ role, content }) => role === 'user' && hasSwitches(textOf(content)),
  )
  return messages.slice(prompt + 1).some(({ role }) => role === 'tool')
}

function readTool(tool: Json | undefined): DeclaredTool {
  const declared = isObject(tool?.function) ? tool.function : {}
  return { name: String(declared.name ?? ''), schema: declared.parameters }
}

function sampleCalls(tools: readonly Json[], count: number): { name: string; args: unknown }[] {
  if (tools.length === 0) return []
  return Array.from({ length: count }, (_, index) => {
    const { name, schema } = readTool(tools[index % tools.length])
    return { name, args: schema === undefined ? {} : sampleValue(schema) }
  })
}

function writeCall(
  { name, args }: { readonly name: string; readonly args: unknown },
  index: number,
): ToolCall {
  return { id: `call_sandbox_${index + 1}`, name, arguments: JSON.stringify(args) }
}

function buildMessage({ content, calls }: Plan): object {
  if (calls.length === 0) return { role: 'assistant', content, refusal: null }
  return { role: 'assistant', content: null, refusal: null, tool_calls: calls.map(describeCall) }
}

function describeCall({ id, name, arguments: text }: ToolCall): object {
  return { id, type: 'function', function: { name, arguments: text } }
}

function buildUsage({ prompt, cached, candidates, thoughts }: Usage): object {
  return {
    prompt_tokens: prompt,
    completion_tokens: candidates + thoughts,
    total_tokens: prompt + candidates + thoughts,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thoughts },
  }
}

function streamChunks(call: OpenaiCall, plan: Plan, head: object): AsyncGenerator<Uint8Array> {
  const { body, model, switches, tools } = call
  const withUsage = isObject(body.stream_options) && body.stream_options.include_usage === true
  const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`
  const chunk = (delta: object, finishReason: string | null) =>
    frame({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(withUsage ? { usage: null } : {}),
    })
  const deltas = [{ role: 'assistant', content: '' }, ...writeDeltas(plan, switches)]
  const end = [
    chunk({}, plan.finishReason),
    ...(withUsage && switches.noUsage !== true
      ? [frame({ ...head, choices: [], usage: buildUsage(plan.usage) })]
      : []),
    'data: [DONE]\n\n',
  ]
  const pieces = deltas.map(delta => chunk(delta, null))
  return playStream({
    pieces: pieces.with(-1, [pieces.at(-1), ...end].join('')),
    switches,
    tools,
    frameError: error => frame(buildOpenaiError(error)),
    // The first piece only has the role.
    prompt: 2,
    // Such upstreams bill all they produced, read or not.
    onEnd: () => tools.counters.bill(model, plan.usage),
  })
}

function writeDeltas({ content, calls }: Plan, switches: Switches): object[] {
  const names = (index: number) => (switches.noToolIndex === true ? {} : { index })
  const pieces = cutText(content, switches.chunks ?? 4)
  return [
    ...pieces.map(piece => ({ content: piece })),
    ...calls.flatMap((call, index) => {
      const whole = describeCall(call)
      // Pieces of a call cannot be joined without an index, so the call comes whole.
      if (switches.noToolIndex === true) return [{ tool_calls: [whole] }]
      const half = Math.ceil(call.arguments.length / 2)
      const first = { ...whole, ...names(index), function: { name: call.name, arguments: '' } }
      const rest = [call.arguments.slice(0, half), call.arguments.slice(half)]
        .filter(text => text !== '')
        .map(text => ({ tool_calls: [{ ...names(index), function: { arguments: text } }] }))
      return [{ tool_calls: [first] }, ...rest]
    }),
  ]
}
