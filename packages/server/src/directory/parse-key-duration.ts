// Parses how long a key works: its `duration`, and how long a secret works after it was replaced.

const unitMs = { s: 1000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const longestMs = 3_660 * unitMs.d

/** Milliseconds. Throws RangeError with the allowed values. */
export function parseKeyDuration(text: string): number {
  const match = /^([1-9]\d{0,8})([shdw])$/.exec(text)
  const unit = match?.[2]
  if (match === null || (unit !== 's' && unit !== 'h' && unit !== 'd' && unit !== 'w')) {
    throw new RangeError(
      `"${text}" is not a duration: use seconds, hours, days or weeks, such as 90s, 12h, 30d or 4w.`,
    )
  }
  const length = Number(match[1]) * unitMs[unit]
  if (length > longestMs) throw new RangeError(`"${text}" is too long for a duration: at most ten years.`)
  return length
}

const graceUnitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const longestGraceMs = 30 * graceUnitMs.d

/** Milliseconds; `0s` is zero. Throws RangeError with the allowed values. */
export function parseGrace(text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text)
  const unit = match?.[2]
  if (match === null || (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd'))
    throw new RangeError(`"${text}" is not a time: use seconds, minutes, hours or days, such as 15m or 12h.`)
  const length = Number(match[1]) * graceUnitMs[unit]
  if (length > longestGraceMs) throw new RangeError(`"${text}" is too long: at most 30 days.`)
  return length
}
