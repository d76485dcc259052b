// Suggests the known word closest to an unknown one.

/** null when none is close enough. */
export function suggestWord(given: string, known: readonly string[]): string | null {
  const word = given.toLowerCase()
  const longest = Math.max(1, Math.floor(word.length / 3))
  const near = known
    .map(candidate => ({ candidate, distance: distanceBetween(word, candidate) }))
    .filter(
      ({ candidate, distance }) => distance <= longest || (word.length > 1 && candidate.startsWith(word)),
    )
    .sort((a, b) => a.distance - b.distance)
  return near[0]?.candidate ?? null
}

/** How many letters must be inserted, removed, replaced or swapped with the next one. */
function distanceBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row]
    rows.push(next)
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      next[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
  }
  return at(a.length, b.length)
}
