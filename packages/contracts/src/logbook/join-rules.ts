// What AI tools wrap around the words of a person or a program before they send them to a model, as data, and how it is peeled off.
import Type, { type Static } from 'typebox'
import type { JoinTextKind } from './join-text.ts'

const strict = { additionalProperties: false }
const mark = (description: string) => Type.String({ minLength: 1, maxLength: 1000, description })

/** It applies to a text in which all of its marks are found. */
const wrapperSchema = Type.Object(
  {
    starts: mark('How the text begins'),
    through: Type.Optional(mark('The first place of this mark, and all before it, is cut off')),
    from: Type.Optional(mark('The last place of this mark, and all after it, is cut off')),
  },
  { ...strict, description: 'Without `through` and `from` the whole text is the tool’s own' },
)

const wrappersSchema = Type.Optional(Type.Array(wrapperSchema, { maxItems: 100 }))

const exampleSchema = Type.Object(
  {
    kind: Type.Enum(['prompt', 'result', 'answer']),
    recorded: Type.String({ minLength: 1, description: 'The version of the tool, and what it did' }),
    text: Type.String(),
    peeled: Type.Union([Type.String(), Type.Null()], { description: 'Null: nothing of it is left' }),
  },
  strict,
)

export const joinRulesSchema = Type.Object(
  {
    tools: Type.Record(
      Type.String({ pattern: '^[a-z][a-z0-9-]*$' }),
      Type.Object(
        {
          prompt: wrappersSchema,
          result: wrappersSchema,
          answer: wrappersSchema,
          examples: Type.Array(exampleSchema, { minItems: 1 }),
        },
        strict,
      ),
    ),
  },
  strict,
)

export type JoinRules = Static<typeof joinRulesSchema>
type Wrapper = Static<typeof wrapperSchema>

/** A text that somebody made to be peeled for ever is taken as it is after so many wrappers. */
const mostWrappers = 64

/**
 * What is left of a text when the wrappers of its tool are peeled off, the outermost first; null when nothing is but white space. A
 * tool without rules wraps nothing.
 */
export function peelText(rules: JoinRules, tool: string, kind: JoinTextKind, text: string): string | null {
  const wrappers = Object.hasOwn(rules.tools, tool) ? (rules.tools[tool]?.[kind] ?? []) : []
  let left = text
  for (let count = 0; count < mostWrappers; count += 1) {
    const peeled = peelOutermost(wrappers, left)
    if (peeled === null) break
    left = peeled
  }
  return left.trim() === '' ? null : left
}

/** Null when no wrapper applies. */
function peelOutermost(wrappers: readonly Wrapper[], text: string): string | null {
  for (const { starts, through, from } of wrappers) {
    if (!text.startsWith(starts)) continue
    if (through === undefined && from === undefined) return ''
    const before = through === undefined ? 0 : text.indexOf(through)
    if (before < 0) continue
    const start = before + (through?.length ?? 0)
    const end = from === undefined ? text.length : text.lastIndexOf(from)
    if (end < start) continue
    return text.slice(start, end)
  }
  return null
}
