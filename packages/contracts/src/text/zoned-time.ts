// Parses and formats times in the event's time zone, and durations as organisers write them.

/** Returns true for the IANA name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    // Intl also accepts offsets such as +09:00, which are not zones.
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

const localPattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?$/

/**
 * Returns the moments (Unix ms) at which clocks in the zone show this time: none if they are put forward then, two if they are put back.
 * Null unless the text is a date and time without an offset.
 */
export function readLocalMoments(text: string, timeZone: string): readonly number[] | null {
  const day = localPattern.exec(text)?.[1]
  const clock = day === undefined ? Number.NaN : Date.parse(`${text}Z`)
  // `Date.parse` may take 30 February for 2 March.
  if (day === undefined || Number.isNaN(clock) || !new Date(clock).toISOString().startsWith(day)) return null
  const offsets = new Set([offsetAt(timeZone, clock - dayMs), offsetAt(timeZone, clock + dayMs)])
  return [...offsets]
    .map(offset => clock - offset)
    .filter(moment => moment + offsetAt(timeZone, moment) === clock)
    .sort((one, other) => one - other)
}

const dayMs = 86_400_000

/** Returns `2026-11-21 18:00:00 +09:00 (Asia/Seoul)`, with milliseconds if there are any. */
export function formatZonedMoment(moment: number, timeZone: string): string {
  const offset = offsetAt(timeZone, moment)
  const [day = '', clock = ''] = new Date(moment + offset).toISOString().replace('Z', '').split('T')
  return `${day} ${clock.replace(/\.000$/, '')} ${formatOffset(offset)} (${timeZone})`
}

/** Formats a time for the event file: `2026-11-21T18:00`, with the offset if the zone has that time twice. */
export function formatLocalMoment(moment: number, timeZone: string): string {
  const offset = offsetAt(timeZone, moment)
  const local = new Date(moment + offset).toISOString().replace('Z', '')
  const short = local.replace(/(?::00)?\.000$/, '')
  const isTwice = (readLocalMoments(short, timeZone)?.length ?? 0) > 1
  return isTwice ? `${short}${formatOffset(offset)}` : short
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, format)
  return format
}

/** Returns the zone's offset from UTC at that moment, in ms. */
export function offsetAt(timeZone: string, moment: number): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return shown - Math.floor(moment / 1000) * 1000
}

export function formatOffset(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60_000)
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}

const spanPattern = /^\+?(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?$/

/** Returns the milliseconds of `15m`, `+45m` or `1h30m`; null if the text is not a duration. */
export function parseSpan(text: string): number | null {
  const match = spanPattern.exec(text)
  if (match === null) return null
  const [days, hours, minutes, seconds] = match.slice(1).map(part => Number(part ?? 0))
  const span = (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60_000 + (seconds ?? 0) * 1000
  return span > 0 ? span : null
}

/** Formats as `1h30m`. */
export function formatSpan(span: number): string {
  const seconds = Math.round(span / 1000)
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count}${unit}`])).join('')
}
