// Writes a moment as spec 2.10 asks: ISO 8601 with the offset of the machine's clock at that moment.

/** `2026-03-01T14:03:07.512+09:00`. `offsetMinutes` is minutes east of UTC. */
export function formatLocalTime(moment: Date, offsetMinutes = -moment.getTimezoneOffset()): string {
  const local = new Date(moment.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1)
  const sign = offsetMinutes < 0 ? '-' : '+'
  const minutes = Math.abs(offsetMinutes)
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  return `${local}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}
