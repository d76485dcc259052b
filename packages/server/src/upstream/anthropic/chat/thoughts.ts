// Carries Claude's thinking blocks through the one opaque text that clients return. The API accepts them unchanged only: each with its
// text and its signature.
import { asRecord, asString, parseOrNull } from '../../narrow-json.ts'

export type Thought =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }

/** In a tool call's id it becomes a third longer, and an id has at most 1 MiB. */
const longestState = 700_000

/** Null if there are none, or if no client could return them. */
export function packThoughts(thoughts: readonly Thought[]): string | null {
  const state = thoughts.length === 0 ? '' : JSON.stringify(thoughts)
  return state === '' || state.length > longestState ? null : state
}

/** Null for the state of another kind of model. The API checks the signatures. */
export function unpackThoughts(state: string): readonly Thought[] | null {
  if (!state.startsWith('[')) return null
  const parsed = parseOrNull(state)
  if (!Array.isArray(parsed)) return null
  const thoughts = parsed.map(readThought)
  return thoughts.every(thought => thought !== null) ? thoughts : null
}

/** A block of an answer; null if it is not a thought. */
export function readThought(block: unknown): Thought | null {
  const { type, thinking, signature, data } = asRecord(block) ?? {}
  if (type === 'redacted_thinking') return { type, data: asString(data) ?? '' }
  if (type !== 'thinking' || !asString(signature)) return null
  return { type, thinking: asString(thinking) ?? '', signature: asString(signature) ?? '' }
}
