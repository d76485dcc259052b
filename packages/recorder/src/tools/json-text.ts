// Writes any value that was read from JSON back to text, however deeply it is nested.

/** Far below the depth at which JSON.stringify fails. */
const mostLevels = 1000

/** Values deeper than a thousand levels become `"…"`. Nothing else is lost. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    // The stack was too small.
    return JSON.stringify(keepLevels(value, mostLevels))
  }
}

function keepLevels(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return '…'
  if (Array.isArray(value)) return value.map(item => keepLevels(item, levels - 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, keepLevels(member, levels - 1)]),
  )
}
