// Rules, as data, for the text that AI tools wrap around prompts and results before sending them to a model, and how to strip it.
import Type, { type Static } from 'typebox'
import type { JoinTextKind } from './join-text.ts'

const strict = { additionalProperties: false }
const mark = (description: string) => Type.String({ minLength: 1, maxLength: 1000, description })

/** A wrapper applies to a text that contains all of its marks. */
const wrapperSchema = Type.Object(
  {
    starts: mark('Start of the text'),
    through: Type.Optional(
      mark('Everything up to and including the first occurrence of this mark is removed'),
    ),
    from: Type.Optional(mark('Everything from the last occurrence of this mark on is removed')),
  },
  { ...strict, description: 'Without `through` and `from`, the whole text comes from the tool' },
)

const wrappersSchema = Type.Optional(Type.Array(wrapperSchema, { maxItems: 100 }))

const exampleSchema = Type.Object(
  {
    kind: Type.Enum(['prompt', 'result', 'answer']),
    recorded: Type.String({ minLength: 1, description: 'Version of the tool and what it did' }),
    text: Type.String(),
    peeled: Type.Union([Type.String(), Type.Null()], { description: 'Null if nothing remains' }),
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

/** Maximum wrappers to strip, so that a crafted text cannot keep the loop busy. The rest is used as it is. */
const maxWrappers = 64

/**
 * Strips the wrappers of the tool from a text, outermost first, and returns the rest; null if only white space remains. A tool
 * without rules wraps nothing.
 */
export function peelText(rules: JoinRules, tool: string, kind: JoinTextKind, text: string): string | null {
  const wrappers = Object.hasOwn(rules.tools, tool) ? (rules.tools[tool]?.[kind] ?? []) : []
  let left = text
  for (let count = 0; count < maxWrappers; count += 1) {
    const peeled = peelOutermost(wrappers, left)
    if (peeled === null) break
    left = peeled
  }
  return left.trim() === '' ? null : left
}

/** Returns null if no wrapper applies. */
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
