// Looks through all values of an entry for what cannot be stored faithfully, before anything recursive touches them.

/** Says what is wrong, or null. Walks level by level, so that hostile nesting cannot exhaust the stack. */
export function inspectValues(entry: object, maximumDepth: number): string | null {
  let level: object[] = [entry]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maximumDepth) return `The entry is nested deeper than ${maximumDepth} levels.`
    const next: object[] = []
    for (const container of level) {
      for (const value of Object.values(container)) {
        if (typeof value === 'object' && value !== null) next.push(value)
        // `1e999` is legal JSON and reads as infinity, which could only be stored as something else.
        else if (typeof value === 'number' && !Number.isFinite(value)) {
          return 'The entry holds a number that is too large.'
        }
      }
    }
    level = next
  }
  return null
}
