// The messages of a conversation → the vendor's turns and its instruction, in one pass.
import { type ChatMessage, textOf } from '@fairgate/contracts/chat/message.ts'
import { readJsonObject } from '@fairgate/contracts/chat/tools.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ChatCall } from '../../port.ts'
import { buildAssistantParts, buildUserParts, type Part } from './build-parts.ts'

export type Content = { readonly role: 'user' | 'model'; readonly parts: readonly Part[] }

type Turn = {
  /** Tool results are user turns too, kept apart from what the user says. */
  readonly kind: 'user' | 'model' | 'tool'
  readonly parts: Part[]
}

/** An earlier call of the conversation. Clients send its id with the result; the vendor wants its name. */
type EarlierCall = { readonly name: string; readonly position: number }

/** `instruction` is '' when there is none. Throws ApiError `invalid_request` when a result belongs to no call. */
export function buildContents(call: ChatCall): {
  readonly contents: readonly Content[]
  readonly instruction: string
} {
  const { messages } = call.request
  const turns: Turn[] = []
  const calls = new Map<string, EarlierCall>()
  const positions = new Map<Part, number>()
  let instruction = ''
  let index = -1
  for (const message of messages) {
    index += 1
    switch (message.role) {
      case 'system':
      case 'developer': {
        const text = textOf(message.content)
        if (text !== '') instruction += instruction === '' ? text : `\n\n${text}`
        break
      }
      case 'user':
        append(turns, 'user', buildUserParts(message.content, index))
        break
      case 'assistant':
        append(turns, 'model', buildAssistantParts(message, index, call.model.reasoning === 'level'))
        for (const { id, function: called } of message.tool_calls ?? [])
          calls.set(id, { name: called.name, position: calls.size })
        break
      case 'tool': {
        const { part, position } = buildResult(message, index, calls)
        positions.set(part, position)
        append(turns, 'tool', [part])
      }
    }
  }
  return { contents: finishTurns(turns, positions), instruction }
}

function append(turns: Turn[], kind: Turn['kind'], parts: readonly Part[]): void {
  const last = turns.at(-1)
  if (last?.kind === kind) last.parts.push(...parts)
  else turns.push({ kind, parts: [...parts] })
}

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>

function buildResult(message: ToolMessage, index: number, calls: ReadonlyMap<string, EarlierCall>) {
  const called = calls.get(message.tool_call_id)
  if (called === undefined) {
    const param = `messages[${index}].tool_call_id`
    throw invalidRequest(param, `${param} is the id of no tool call in an earlier message.`)
  }
  const text = textOf(message.content)
  // The vendor takes only objects.
  const response = readJsonObject(text) ?? { output: text }
  return { part: { functionResponse: { name: called.name, response } }, position: called.position }
}

/** The vendor refuses a turn without parts, and a request without turns. */
function finishTurns(turns: readonly Turn[], positions: ReadonlyMap<Part, number>): Content[] {
  if (turns.length === 0) return [{ role: 'user', parts: [blank] }]
  return turns.map(({ kind, parts }) => {
    // The vendor matches results of one function to its calls by their order.
    if (kind === 'tool') parts.sort((a, b) => (positions.get(a) ?? 0) - (positions.get(b) ?? 0))
    return { role: kind === 'model' ? 'model' : 'user', parts: parts.length > 0 ? parts : [blank] }
  })
}

const blank: Part = { text: ' ' }
