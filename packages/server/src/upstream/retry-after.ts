// How long clients are told to wait, whatever the upstream says: whole seconds within an hour.

const longestSeconds = 3600

/** `milliseconds`: what the upstream asked for; null when it did not say. */
export function writeRetryAfter(milliseconds: number | null, fallbackSeconds: number): string {
  const asked = milliseconds === null || Number.isNaN(milliseconds) ? fallbackSeconds : milliseconds / 1000
  return String(Math.min(longestSeconds, Math.max(1, Math.ceil(asked))))
}
