// Finds the name that a misspelt one most likely means, so that an error can suggest it.

/** The nearest known name if it is close enough: one typo per four letters, three at most. Null otherwise. */
export function suggestName(unknown: string, known: readonly string[]): string | null {
  const wanted = normalize(unknown)
  let nearest: { readonly name: string; readonly distance: number } | null = null
  for (const name of known) {
    const distance = countSlips(wanted, normalize(name))
    const allowed = Math.min(3, Math.floor(Math.max(wanted.length, name.length) / 4))
    if (distance <= Math.max(1, allowed) && (nearest === null || distance < nearest.distance))
      nearest = { name, distance }
  }
  return nearest?.name ?? null
}

/** Suffix for an unknown name in a sentence: ` (did you mean …?)`, or nothing. */
export function describeSuggestion(suggestion: string | null): string {
  return suggestion === null ? '' : ` (did you mean ${suggestion}?)`
}

/** `maxRetries`, `max-retries` and `MAX_RETRIES` become the same name, so that a different style is no typo. */
function normalize(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}

/** Counts letters that were omitted, added, replaced, or swapped with their neighbour. */
function countSlips(left: string, right: string): number {
  const width = right.length + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: width }, (_, column) => column)
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row]
    for (let column = 1; column < width; column += 1) {
      const isSame = left[row - 1] === right[column - 1]
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, right.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
