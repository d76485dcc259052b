// Functions that a model may call, how it must choose among them, and its calls.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { maxJsonDepth, parseJsonWithin } from '../text/nested-json.ts'

const functionName = Type.String({
  pattern: '^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$',
  description: 'Letters, digits, `_`, `.`, `:` and `-`, not starting with a digit; at most 64 characters',
})

const tool = Type.Object({
  type: Type.Literal('function'),
  function: Type.Object({
    name: functionName,
    description: orNull(Type.String({ maxLength: 65_536 })),
    parameters: orNull(
      Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the arguments' }),
    ),
    strict: orNull(Type.Boolean({ description: 'true: arguments always match the schema' })),
  }),
})
export type Tool = Static<typeof tool>

/** A function as the Responses API writes it. */
const flatTool = Type.Object(
  { type: Type.Literal('function'), name: Type.String() },
  { description: 'Refused: the members of a function belong into `function`' },
)

/** Tag that no value has, so that code which narrows by `function` knows the others. */
type OtherTool = { readonly type?: string; readonly function?: never }

const otherTool = Type.Unsafe<OtherTool>(
  Type.Object(
    {
      type: Type.Optional(
        Type.Refine(
          Type.String(),
          type => type !== 'function',
          () => 'must be another type',
        ),
      ),
    },
    { description: 'Refused: only functions are offered' },
  ),
)

/** All that clients send, so that a refusal can say what to send instead. */
export const sentToolsSchema = Type.Array(Type.Union([tool, flatTool, otherTool]), {
  maxItems: 512,
  description: 'Functions that the model may call',
})
export type SentTool = Static<typeof sentToolsSchema>[number]

const namedFunction = Type.Object({
  type: Type.Literal('function'),
  function: Type.Object({ name: functionName }),
})
export type NamedFunction = Static<typeof namedFunction>

export const toolChoiceSchema = Type.Union(
  [
    Type.Enum(['none', 'auto', 'required']),
    namedFunction,
    Type.Object({
      type: Type.Literal('allowed_tools'),
      allowed_tools: Type.Object(
        {
          mode: Type.Enum(['auto', 'required']),
          tools: Type.Array(namedFunction, { minItems: 1, maxItems: 512 }),
        },
        { description: 'Only these tools may be called' },
      ),
    }),
  ],
  { description: 'Whether a function must be called, and which; default auto' },
)
export type ToolChoice = Static<typeof toolChoiceSchema>

/** Long enough for the reasoning state that an id can contain. */
export const toolCallId = Type.String({
  minLength: 1,
  maxLength: 1_048_576,
  description: 'As returned in the answer; it may contain model state, so send it back unchanged',
})

const toolCall = Type.Object({
  id: toolCallId,
  type: Type.Literal('function'),
  function: Type.Object({
    name: functionName,
    arguments: Type.Refine(
      Type.String({ description: 'A JSON object as text' }),
      text => readArguments(text) !== null,
      () => `must be a JSON object as text, nested at most ${maxJsonDepth} levels deep`,
    ),
  }),
})

export const toolCallsSchema = Type.Array(toolCall, { maxItems: 512 })

/** Parses the arguments of a call. An empty text means no arguments. null if the text is not a JSON object or is nested too deeply. */
export function readArguments(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === '') return {}
  return readJsonObject(text)
}

/** Parses a JSON object; null for anything else and for JSON nested deeper than a body may be. */
export function readJsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseJsonWithin(text, maxJsonDepth)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
