// Items of a conversation in the Responses dialect, as clients send them back: messages, calls, results, reasoning.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { contentSchema } from './content.ts'
import { toolsSchema } from './tools.ts'
import { unknownType } from './unknown-type.ts'

const callId = Type.String({
  minLength: 1,
  maxLength: 1_048_576,
  description: 'As given in the call',
})
const name = Type.String({ minLength: 1, maxLength: 256 })

const message = Type.Object(
  {
    type: orNull(Type.Literal('message')),
    role: Type.Enum(['user', 'assistant', 'system', 'developer']),
    content: contentSchema,
  },
  { description: 'A message; `type` is optional' },
)
export type MessageItem = Static<typeof message>

const reasoning = Type.Object(
  {
    type: Type.Literal('reasoning'),
    encrypted_content: orNull(
      Type.String({ maxLength: 8_388_608, description: 'Model state, as returned in the answer' }),
    ),
  },
  { description: 'Send it back unchanged. Its summary is ignored.' },
)

const functionCall = Type.Object({
  type: Type.Literal('function_call'),
  call_id: callId,
  name,
  namespace: orNull(name),
  arguments: Type.String({ description: 'A JSON object as text' }),
})

const functionCallOutput = Type.Object({
  type: Type.Literal('function_call_output'),
  call_id: callId,
  output: contentSchema,
})

const customToolCall = Type.Object({
  type: Type.Literal('custom_tool_call'),
  call_id: callId,
  name,
  namespace: orNull(name),
  input: Type.String({ description: 'Free text' }),
})

const customToolCallOutput = Type.Object({
  type: Type.Literal('custom_tool_call_output'),
  call_id: callId,
  output: contentSchema,
})

const additionalTools = Type.Object(
  { type: Type.Literal('additional_tools'), tools: toolsSchema },
  { description: 'Tools declared as in `tools`' },
)

const itemReference = Type.Object(
  { type: Type.Literal('item_reference'), id: Type.String({ minLength: 1, maxLength: 256 }) },
  { description: 'An output item of a stored response of the team, by its id' },
)

const compaction = Type.Object(
  { type: Type.Literal('compaction'), encrypted_content: Type.String({ maxLength: 8_388_608 }) },
  { description: 'Compacted conversation, as returned in an earlier answer' },
)

const compactionTrigger = Type.Object(
  { type: Type.Literal('compaction_trigger') },
  { description: 'As the last item: the answer is the compacted conversation, as one `compaction` item' },
)

const known = [
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'additional_tools',
  'item_reference',
  'compaction',
  'compaction_trigger',
] as const

export const inputItemSchema = Type.Union([
  message,
  reasoning,
  functionCall,
  functionCallOutput,
  customToolCall,
  customToolCallOutput,
  additionalTools,
  itemReference,
  compaction,
  compactionTrigger,
  unknownType(known),
])
export type InputItem = Static<typeof inputItemSchema>
