// Says how far the clock of a laptop is from the server's, for the recorder and for pages: entries carry the time of the laptop.

/** Clocks of replies and reports count whole seconds and are a little old when they arrive. Below this nobody is misled. */
export const toleratedMs = 2 * 60_000

/** `3 h behind` or `26 h ahead of`, to be followed by the other clock; null if the difference misleads nobody. */
export function describeClockDifference(behindMs: number): string | null {
  if (Math.abs(behindMs) <= toleratedMs) return null
  const minutes = Math.round(Math.abs(behindMs) / 60_000)
  const size = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
  return `${size} ${behindMs > 0 ? 'behind' : 'ahead of'}`
}
