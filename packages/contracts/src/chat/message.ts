// One message of a conversation, by role.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import {
  assistantContent,
  type TextContent,
  type ToolContent,
  textContent,
  toolContent,
  userContent,
} from './content-parts.ts'
import { toolCallId, toolCallsSchema } from './tools.ts'

const user = Type.Object({ role: Type.Literal('user'), content: userContent })

const thinkingBlock = Type.Object({
  type: Type.Literal('thinking'),
  thinking: orNull(Type.String()),
  signature: orNull(Type.String({ maxLength: 1_048_576 })),
})

const assistant = Type.Object({
  role: Type.Literal('assistant'),
  content: orNull(assistantContent),
  refusal: orNull(Type.String()),
  tool_calls: orNull(toolCallsSchema),
  thinking_blocks: orNull(
    Type.Array(thinkingBlock, {
      maxItems: 1000,
      description: 'As returned in the answer; only signatures are read',
    }),
  ),
})
export type AssistantMessage = Static<typeof assistant>

const instruction = Type.Object({ role: Type.Enum(['system', 'developer']), content: textContent })

const toolResult = Type.Object({
  role: Type.Literal('tool'),
  tool_call_id: toolCallId,
  content: toolContent,
  is_error: orNull(
    Type.Boolean({ description: 'true: the function failed, and the content describes the failure' }),
  ),
})
export type ToolMessage = Static<typeof toolResult>

export const messageSchema = Type.Union([user, assistant, instruction, toolResult])
export type ChatMessage = Static<typeof messageSchema>

/** Text in parts, joined; other parts are left out. */
export function textOf(content: TextContent | ToolContent): string {
  if (typeof content === 'string') return content
  return content.map(part => (part.type === 'text' ? part.text : '')).join('')
}
