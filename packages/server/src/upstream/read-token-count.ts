// One count of tokens as an upstream reports it: what is no count is told apart from 0.

/** More tokens than any model takes: a figure above this is a fault, not a use. */
const absurd = 100_000_000

/** A missing count is 0 (upstreams drop defaults); null when it cannot be a count. */
export function readTokenCount(value: unknown): number | null {
  const count = value ?? 0
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= absurd
    ? count
    : null
}
