// Describes how far a laptop's clock is from the server's, for the recorder and for pages, because entries carry the laptop's time.

/** Ignored difference: times in replies and reports are whole seconds and slightly old on arrival. */
export const toleratedMs = 2 * 60_000

/** Returns `3 h behind` or `26 h ahead of`, to be followed by the other clock; null if the difference is tolerated. */
export function describeClockDifference(behindMs: number): string | null {
  if (Math.abs(behindMs) <= toleratedMs) return null
  const minutes = Math.round(Math.abs(behindMs) / 60_000)
  const size = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
  return `${size} ${behindMs > 0 ? 'behind' : 'ahead of'}`
}
