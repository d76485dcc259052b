// Puts a client's history into the order that upstreams require: each tool call has its result, right after the calls of its step.
import type { UserContent } from '@fairgate/contracts/chat/content-parts.ts'
import type { ChatMessage, ToolMessage } from '@fairgate/contracts/chat/message.ts'
import type { ToolCall } from '@fairgate/contracts/chat/response.ts'
import { splitToolCallId } from '../../upstream/tool-call-id.ts'

type Call = {
  /** As named in the assistant's message, with the signature that it may carry. */
  readonly id: string
  result: ToolMessage | null
}

/**
 * Agents interrupt their calls, answer them out of order, and cut their histories anywhere. Calls without a result get one that says
 * so. Results without a call become user text. Results are matched by their ids without signatures, to the latest step that still
 * waits for one. Anything between calls and results moves after them. Neighbours with the same role stay separate.
 */
export function repairHistory(messages: readonly ChatMessage[]): ChatMessage[] {
  const { callsOf, matched } = matchResults(messages)
  const repaired: ChatMessage[] = []
  let step: Call[] = []
  const endStep = () => {
    for (const { id, result } of step) repaired.push(result === null ? interrupted(id) : withId(result, id))
    step = []
  }
  for (const message of messages) {
    // The calls of one step can come as multiple messages.
    if (message.role !== 'assistant') endStep()
    if (message.role !== 'tool') repaired.push(message)
    else if (!matched.has(message)) repaired.push(describeOrphan(message))
    step.push(...(callsOf.get(message) ?? []))
  }
  endStep()
  return repaired
}

/** The calls with one id in one step, which are answered in order. */
type Waiting = { readonly step: number; readonly calls: Call[] }

function matchResults(messages: readonly ChatMessage[]) {
  const callsOf = new Map<ChatMessage, readonly Call[]>()
  const matched = new Set<ChatMessage>()
  /** By short id, latest step last. */
  const waiting = new Map<string, Waiting[]>()
  let step = 0
  for (const message of messages) {
    if (message.role !== 'assistant') step += 1
    if (message.role === 'assistant') {
      const calls = (message.tool_calls ?? []).map(({ id }): Call => ({ id, result: null }))
      callsOf.set(message, calls)
      for (const call of calls) addWaiting(waiting, call, step)
    } else if (message.role === 'tool') {
      const call = takeWaiting(waiting, splitToolCallId(message.tool_call_id).id)
      if (call === null) continue
      call.result = message
      matched.add(message)
    }
  }
  return { callsOf, matched }
}

function addWaiting(waiting: Map<string, Waiting[]>, call: Call, step: number): void {
  const { id } = splitToolCallId(call.id)
  const steps = waiting.get(id) ?? []
  const latest = steps.at(-1)
  if (latest?.step === step) latest.calls.push(call)
  else steps.push({ step, calls: [call] })
  waiting.set(id, steps)
}

function takeWaiting(waiting: ReadonlyMap<string, Waiting[]>, id: string): Call | null {
  const steps = waiting.get(id)
  const calls = steps?.at(-1)?.calls
  const call = calls?.shift() ?? null
  if (calls?.length === 0) steps?.pop()
  return call
}

function withId(result: ToolMessage, id: string): ToolMessage {
  return result.tool_call_id === id ? result : { ...result, tool_call_id: id }
}

function interrupted(id: string): ToolMessage {
  return { role: 'tool', tool_call_id: id, content: 'interrupted', is_error: true }
}

function describeOrphan({ content, is_error: isError }: ToolMessage): ChatMessage {
  const title = `[${isError === true ? 'Error' : 'Result'} of an earlier tool call]`
  const parts: Exclude<UserContent, string> =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return { role: 'user', content: [{ type: 'text', text: `${title}\n` }, ...parts] }
}

/** The model's text and calls in one step; none if there is neither. `signature`: the text's; null if it has none. */
export function buildAnswer(text: string, calls: ToolCall[], signature: string | null): ChatMessage[] {
  if (text === '' && calls.length === 0) return []
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(signature === null ? {} : { thinking_blocks: [{ type: 'thinking', thinking: '', signature }] }),
    },
  ]
}

/** Text that the user did not type, marked the way agents mark it for services that accept no system message there. */
export function remind(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`
}
