// How long an upstream asks to wait: in headers, as milliseconds, seconds, or a date.

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
