// Says whether the time left is enough for the teams left.
import { countOf } from '../format/number.ts'
import { formatDuration } from '../format/time.ts'

const minute = 60_000

export type Pace = { readonly isEnough: boolean; readonly text: string }

/** Times in Unix ms; `closesAt` is null without an end. Null if nothing is left to read, or no time. */
export function describePace({
  left,
  minutesPerTeam,
  now,
  opensAt,
  closesAt,
}: {
  /** Teams to read. */
  readonly left: number
  readonly minutesPerTeam: number
  readonly now: number
  readonly opensAt: number | null
  readonly closesAt: number | null
}): Pace | null {
  if (left === 0) return null
  const teams = countOf(left, 'team')
  const needed = left * minutesPerTeam
  const planned = `at ${minutesPerTeam} min ${left === 1 ? 'for it' : 'each'}`
  if (closesAt === null)
    return { isEnough: true, text: `${teams} to read, ${planned}: ${formatDuration(needed * minute)}.` }
  const minutes = Math.floor((closesAt - Math.max(now, opensAt ?? now)) / minute)
  if (minutes < 1) return null
  const time = formatDuration(minutes * minute)
  if (minutes >= needed)
    return {
      isEnough: true,
      text: `${time} for ${teams}, ${planned} you need ${formatDuration(needed * minute)}.`,
    }
  const each = Math.floor(minutes / left)
  const share = each < 1 ? 'less than a minute' : `${each} min`
  return {
    isEnough: false,
    text: `Only ${time} for ${teams}: ${share} ${left === 1 ? '' : 'each '}instead of ${minutesPerTeam} min.`,
  }
}
