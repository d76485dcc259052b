// How long to wait: what an upstream asks for in its headers, and what clients are told.

const longestSeconds = 3600

/** Whole seconds within an hour. `milliseconds`: what the upstream asked for; null when it did not say. */
export function writeRetryAfter(milliseconds: number | null, fallbackSeconds: number): string {
  const asked = milliseconds === null || Number.isNaN(milliseconds) ? fallbackSeconds : milliseconds / 1000
  return String(Math.min(longestSeconds, Math.max(1, Math.ceil(asked))))
}

/** Milliseconds; null when nothing usable is said. A date counts from the upstream's own clock, its `date` header. */
export function readRetryAfter(headers: Headers): number | null {
  const milliseconds = readNumber(headers.get('retry-after-ms'))
  if (milliseconds !== null) return milliseconds
  const text = headers.get('retry-after')
  const seconds = readNumber(text)
  if (seconds !== null) return seconds * 1000
  const wait = Date.parse(text ?? '') - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(wait) ? null : Math.max(0, wait)
}

function readNumber(text: string | null): number | null {
  return text !== null && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : null
}
