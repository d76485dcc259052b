// One message of a conversation, by role.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { assistantContent, type TextContent, textContent, userContent } from './content-parts.ts'
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
      description: 'As the answer gave them; only signatures are read',
    }),
  ),
})
export type AssistantMessage = Static<typeof assistant>

const instruction = Type.Object({ role: Type.Enum(['system', 'developer']), content: textContent })

const toolResult = Type.Object({
  role: Type.Literal('tool'),
  tool_call_id: toolCallId,
  content: textContent,
})

export const messageSchema = Type.Union([user, assistant, instruction, toolResult])
export type ChatMessage = Static<typeof messageSchema>

/** Text in parts, joined. */
export function textOf(content: TextContent): string {
  return typeof content === 'string' ? content : content.map(part => part.text).join('')
}
