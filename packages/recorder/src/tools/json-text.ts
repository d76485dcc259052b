// Writes any value that came as JSON as text again, however deep it is nested.

/** Far below the depth at which the runtime's own writer gives up. */
const mostLevels = 1000

/** What lies deeper than a thousand levels becomes `"…"`; nothing else is lost. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    // The stack was not deep enough.
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
