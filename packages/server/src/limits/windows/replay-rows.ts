// Rebuilds windows from the rows that a process wrote about them, even if the clock has changed since.

import { windowMs } from '../../ledger/request-window.ts'
import type { SecondOfTokens } from '../../ledger/token-window.ts'
import type { WindowRow } from '../../store/statements/window-rows.ts'
import {
  foldSeconds,
  idOfWindow,
  readContents,
  type WindowContents,
  type WindowName,
} from './window-contents.ts'

type WrittenRow = Pick<WindowRow, 'writtenAt' | 'wallAt' | 'changes'>

type Merged = {
  readonly name: WindowName
  readonly times: number[]
  readonly seconds: Map<number, SecondOfTokens>
}

/** Rounding makes the two clocks differ by one millisecond. */
const roundingMs = 2

/**
 * `rows` in the order they were written. Ages use the time of day, so a clock correction since the start of the process that wrote them
 * does not make them older or younger. `now` (Unix ms): the clock of the windows begins with the time of day. Damaged rows are skipped and
 * counted.
 */
export function replayRows(
  rows: readonly WrittenRow[],
  now: number,
): { readonly windows: WindowContents[]; readonly damaged: number } {
  const written = rows.map(row => ({ row, windows: readContents(row.changes, row.writtenAt) }))
  const last = rows.reduce((latest, row) => Math.max(latest, row.writtenAt + correctionOf(row)), now)
  /** The clock was set back while nothing ran: assume that no time has passed. */
  const ahead = last - now
  const merged = new Map<string, Merged>()
  for (const { row, windows } of written) {
    const shift = correctionOf(row) - ahead
    for (const { name, times, seconds } of windows ?? []) {
      const id = idOfWindow(name)
      const known = merged.get(id) ?? { name, times: [], seconds: new Map<number, SecondOfTokens>() }
      merged.set(id, known)
      for (const time of times) known.times.push(time + shift)
      // A second is in every row since which it has changed: the last value counts.
      for (const { latest, tokens } of seconds)
        known.seconds.set(Math.floor(latest / 1000), { latest: latest + shift, tokens })
    }
  }
  const windows = [...merged.values()].map(({ name, times, seconds }) =>
    dropExpired({ name, times, seconds: [...seconds.values()] }, now),
  )
  return { windows, damaged: written.filter(({ windows: read }) => read === null).length }
}

function correctionOf({ wallAt, writtenAt }: WrittenRow): number {
  const correction = wallAt - writtenAt
  return Math.abs(correction) <= roundingMs ? 0 : correction
}

function dropExpired({ name, times, seconds }: WindowContents, now: number): WindowContents {
  return {
    name,
    times: times.filter(time => time + windowMs > now).sort((left, right) => left - right),
    // Shifted times may share a second.
    seconds: foldSeconds(seconds.filter(({ latest }) => latest + windowMs > now)),
  }
}
