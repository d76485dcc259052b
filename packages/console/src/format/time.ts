// Formats times in the event's zone, and durations, for people.

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options)
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone, hourCycle: 'h23' })
  formats.set(key, made)
  return made
}

/** `15:42:08`, or `15:42`. */
export function formatClock(at: number, zone: string, hasSeconds = true): string {
  return formatOf(zone, {
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds ? { second: '2-digit' } : {}),
  }).format(at)
}

/** `Sat 21 Nov` */
export function formatDay(at: number, zone: string): string {
  return formatOf(zone, { weekday: 'short', day: 'numeric', month: 'short' }).format(at).replace(',', '')
}

/** Only the clock for today, `Fri 16:10` within a week, otherwise with the date, plus the year if that is half a year away or more. */
export function formatMoment(at: number, now: number, zone: string, hasSeconds = false): string {
  const clock = formatClock(at, zone, hasSeconds)
  if (dayOf(at, zone) === dayOf(now, zone)) return clock
  if (Math.abs(now - at) < 6 * day) return `${formatOf(zone, { weekday: 'short' }).format(at)} ${clock}`
  const year = Math.abs(now - at) < 183 * day ? {} : { year: 'numeric' as const }
  return `${formatOf(zone, { day: 'numeric', month: 'short', ...year }).format(at)} ${clock}`
}

/** Label on a chart's axis. Midnight is shown as the day that begins. */
export function formatTick(at: number, zone: string): string {
  const clock = formatClock(at, zone, false)
  return clock === '00:00'
    ? formatOf(zone, { weekday: 'short', day: 'numeric' }).format(at).replace(',', '')
    : clock
}

function dayOf(at: number, zone: string): string {
  return formatOf(zone, { year: 'numeric', month: '2-digit', day: '2-digit' }).format(at)
}

/** `KST`, or `GMT+9` if the zone has no short name. */
export function formatZone(zone: string, at: number): string {
  const parts = formatOf(zone, { timeZoneName: 'short' }).formatToParts(at)
  const found = parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone
  return zone === 'Asia/Seoul' ? 'KST' : found
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** `just now`, `31 s ago`, `4 min ago`; older than an hour as a moment. */
export function formatAgo(at: number, now: number, zone: string): string {
  const ms = now - at
  if (ms < 5 * second) return 'just now'
  if (ms < minute) return `${Math.floor(ms / second)} s ago`
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`
  return formatMoment(at, now, zone)
}

/** `in 2 h 18 min`, `38 h ago`. */
export function formatDistance(at: number, now: number): string {
  const minutes = Math.round((at - now) / minute)
  if (minutes === 0) return 'now'
  const length = formatDuration(Math.abs(minutes) * minute)
  return minutes > 0 ? `in ${length}` : `${length} ago`
}

const isoInstant = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g

/** Replaces the ISO 8601 instants in a server message with times as the page shows them. */
export function showInstants(text: string, now: number, zone: string): string {
  return text.replaceAll(isoInstant, instant => formatMoment(Date.parse(instant), now, zone, true))
}

/** `41 ms`, `2.9 s`, `4 min 10 s`, `2 h 18 min`, `3 days 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < second) return `${Math.round(ms)} ms`
  if (ms < minute) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  if (ms < hour) return join(Math.floor(ms / minute), 'min', Math.floor((ms % minute) / second), 's')
  if (ms < 2 * day) return join(Math.floor(ms / hour), 'h', Math.floor((ms % hour) / minute), 'min')
  return join(Math.floor(ms / day), 'days', Math.floor((ms % day) / hour), 'h')
}

function join(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

/** Time left: whole minutes, and seconds too in the last ten minutes. Never below zero. */
export function formatLeft(ms: number): string {
  const left = Math.max(0, ms)
  return left < 10 * minute
    ? formatDuration(Math.floor(left / second) * second || 0)
    : formatDuration(Math.floor(left / minute) * minute)
}

/** An instant in the event's zone, in the reader's own zone, and exactly in UTC, one per line. */
export function describeInstant(at: number, zone: string, ownZone: string): string {
  const lines = [`${formatDay(at, zone)} ${formatClock(at, zone)} ${zone}`]
  if (ownZone !== zone)
    lines.push(`${formatDay(at, ownZone)} ${formatClock(at, ownZone)} your time (${ownZone})`)
  return [...lines, new Date(at).toISOString()].join('\n')
}
