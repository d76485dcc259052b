// Tools of the Responses dialect, and how the model must choose among them.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { otherThan, unknownType } from './unknown-type.ts'

const name = Type.String({ minLength: 1, maxLength: 256 })
const description = orNull(Type.String({ maxLength: 65_536 }))

const functionTool = Type.Object({
  type: Type.Literal('function'),
  name,
  description,
  parameters: orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the arguments' }),
  ),
  strict: orNull(Type.Boolean({ description: 'true: arguments always match the schema' })),
})
export type FunctionTool = Static<typeof functionTool>

const customTool = Type.Object(
  {
    type: Type.Literal('custom'),
    name,
    description,
    format: orNull(
      Type.Object({
        type: Type.Enum(['text', 'grammar']),
        syntax: orNull(Type.String({ maxLength: 20, description: '`lark` or `regex`' })),
        definition: orNull(Type.String({ maxLength: 262_144 })),
      }),
    ),
  },
  { description: 'Takes free text. A grammar is passed to the model but not enforced.' },
)
export type CustomTool = Static<typeof customTool>

const namespaced = Type.Union([functionTool, customTool, unknownType(['function', 'custom'])])

const namespace = Type.Object(
  { type: Type.Literal('namespace'), name, description, tools: Type.Array(namespaced, { maxItems: 512 }) },
  { description: 'Tools with a common name; calls of these tools carry it as `namespace`' },
)

const webSearch = Type.Object(
  {
    type: Type.Enum([
      'web_search',
      'web_search_2025_08_26',
      'web_search_preview',
      'web_search_preview_2025_03_11',
    ]),
  },
  {
    description:
      'Web search, if the model has a price for it. Ignored if functions are given: models do not support both.',
  },
)

/** Built-in tools that no upstream runs. Refused, because a client that sends one depends on it. */
export const refusedTools = [
  'file_search',
  'code_interpreter',
  'computer',
  'computer_use_preview',
  'computer-preview',
  'mcp',
  'local_shell',
  'shell',
  'apply_patch',
] as const

const refused = Type.Object(
  { type: Type.Enum([...refusedTools]) },
  { description: 'Refused: built-in tools that are not offered here' },
)

const known = ['function', 'custom', 'namespace', ...webSearch.properties.type.enum, ...refusedTools] as const

export const toolsSchema = Type.Array(
  Type.Union([functionTool, customTool, namespace, webSearch, refused, unknownType(known)]),
  { maxItems: 512, description: 'Tools that the model may call' },
)
export type ResponsesTool = Static<typeof toolsSchema>[number]

const named = Type.Object({
  type: Type.Enum(['function', 'custom']),
  name,
  namespace: orNull(name),
})

export const toolChoiceSchema = Type.Union(
  [
    Type.Enum(['none', 'auto', 'required']),
    named,
    Type.Object({
      type: Type.Literal('allowed_tools'),
      mode: Type.Enum(['auto', 'required']),
      tools: Type.Array(Type.Union([named, unknownType(['function', 'custom'])]), {
        minItems: 1,
        maxItems: 512,
      }),
    }),
    Type.Object(
      { type: otherThan(['function', 'custom', 'allowed_tools']) },
      { description: 'A built-in tool: only web search, if offered' },
    ),
  ],
  { description: 'Whether a tool must be called, and which; default auto' },
)
export type ResponsesToolChoice = Static<typeof toolChoiceSchema>
