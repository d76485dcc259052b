// The messages of a conversation → the vendor's turns and its instruction, in one pass.
import { type ToolMessage, textOf } from '@fairgate/contracts/chat/message.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ChatCall } from '../../port.ts'
import { buildAssistantParts, buildUserParts, type Part } from './build-parts.ts'
import { buildToolResult, type ToolResult } from './build-tool-result.ts'

export type Content = { readonly role: 'user' | 'model'; readonly parts: readonly Part[] }

/** Tool results are user turns too, kept apart from what the user says. */
type Turn =
  | { readonly kind: 'user' | 'model'; readonly parts: Part[] }
  | { readonly kind: 'tool'; readonly results: ToolResult[] }

/** An earlier call of the conversation. Clients send its id with the result; the vendor wants its name. */
type EarlierCall = { readonly name: string; readonly position: number }

/** `instruction` is '' when there is none. Throws ApiError `invalid_request` when a result belongs to no call. */
export function buildContents({ request, model }: ChatCall): {
  readonly contents: readonly Content[]
  readonly instruction: string
} {
  const hasLevels = model.reasoning === 'level'
  const turns: Turn[] = []
  const calls = new Map<string, EarlierCall>()
  let instruction = ''
  let index = -1
  for (const message of request.messages) {
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
        append(turns, 'model', buildAssistantParts(message, index, hasLevels && !endsWithCalls(turns)))
        for (const { id, function: called } of message.tool_calls ?? [])
          calls.set(id, { name: called.name, position: calls.size })
        break
      case 'tool': {
        const result = readResult(message, index, calls, hasLevels)
        const last = turns.at(-1)
        if (last?.kind === 'tool') last.results.push(result)
        else turns.push({ kind: 'tool', results: [result] })
      }
    }
  }
  return { contents: finishTurns(turns), instruction }
}

function append(turns: Turn[], kind: 'user' | 'model', parts: readonly Part[]): void {
  const last = turns.at(-1)
  if (last?.kind === kind) last.parts.push(...parts)
  else turns.push({ kind, parts: [...parts] })
}

/** The calls of one step can come in several messages; the vendor signs only the first of a step. */
function endsWithCalls(turns: readonly Turn[]): boolean {
  const last = turns.at(-1)
  return last?.kind === 'model' && last.parts.some(part => 'functionCall' in part)
}

function readResult(
  message: ToolMessage,
  index: number,
  calls: ReadonlyMap<string, EarlierCall>,
  takesMedia: boolean,
): ToolResult {
  const called = calls.get(message.tool_call_id)
  if (called !== undefined) return buildToolResult(message, index, called, takesMedia)
  const param = `messages[${index}].tool_call_id`
  throw invalidRequest(param, `${param} is the id of no tool call in an earlier message.`)
}

/** The vendor refuses a turn without parts, and a request without turns. */
function finishTurns(turns: readonly Turn[]): Content[] {
  if (turns.length === 0) return [{ role: 'user', parts: [blank] }]
  return turns.map(turn => {
    const { kind } = turn
    const parts = kind === 'tool' ? joinResults(turn.results) : turn.parts
    return { role: kind === 'model' ? 'model' : 'user', parts: parts.length > 0 ? parts : [blank] }
  })
}

/** The vendor matches results of one function to its calls by their order, and wants nothing between them. */
function joinResults(results: ToolResult[]): Part[] {
  results.sort((a, b) => a.position - b.position)
  return [...results.map(({ part }) => part), ...results.flatMap(({ attached }) => attached)]
}

const blank: Part = { text: ' ' }
