// Turns window counts into rows: one with each commit, and one a second that replaces those.
import { windowMs } from '../../ledger/request-window.ts'
import type { WindowWrite } from '../../store/ledger-writer.ts'
import type { GatheredWindows, GatherScope } from './window-contents.ts'
import { writeContents } from './window-contents.ts'

export type WindowJournalDependencies = {
  readonly gather: (scope: GatherScope) => GatheredWindows | null
  /** Unix ms, the clock of the windows. */
  readonly clock: () => number
  /** Unix ms, the time of day. */
  readonly wallClock: () => number
  /** Last sequence of the rows that the windows were restored from; the first row replaces them. 0 if there were none. */
  readonly lastSequence: number
}

/** Returns null when there is nothing to write. */
export type WindowJournal = (scope: GatherScope) => WindowWrite | null

type Range = { readonly from: number; readonly through: number }

/**
 * Charges are only on disk together with what the windows had counted when they were written, so a crash loses no call that was answered.
 * Rows per second keep the table at about sixty rows, however many commits there are.
 */
export function createWindowJournal(dependencies: WindowJournalDependencies): WindowJournal {
  const { gather, clock, wallClock } = dependencies
  let last = dependencies.lastSequence
  /** Rows of seconds, oldest first, all on disk. */
  let seconds: { readonly sequence: number; readonly at: number }[] = []
  /** Rows that the next row replaces, whichever kind it is. */
  let replaced: Range[] = last > 0 ? [{ from: 0, through: last }] : []
  /** The rows since this one belong to commits. */
  let lastSecond = last

  /** The newest is kept so that the next start can tell "nothing counted" from "never written". */
  const findExpired = (now: number) =>
    seconds.filter(({ sequence, at }) => sequence !== last && at + windowMs <= now)

  const writeRow = (gathered: GatheredWindows, scope: GatherScope, expired: Range[]): WindowWrite => {
    const { at, windows } = gathered
    const sequence = last + 1
    const isSecond = scope === 'second'
    const rides =
      isSecond && sequence > lastSecond + 1 ? [{ from: lastSecond + 1, through: sequence - 1 }] : []
    return {
      change: {
        row: {
          sequence,
          writtenAt: at,
          wallAt: Math.floor(wallClock()),
          changes: writeContents(windows, at),
        },
        drop: [...replaced, ...rides, ...expired],
      },
      written: () => {
        gathered.written()
        last = sequence
        replaced = []
        if (!isSecond) return
        lastSecond = sequence
        seconds.push({ sequence, at })
      },
      failed: gathered.failed,
    }
  }

  return scope => {
    const gathered = gather(scope)
    if (scope === 'commit') return gathered === null ? null : writeRow(gathered, scope, [])
    const expired = findExpired(clock())
    const newest = expired.at(-1)
    const drop = newest === undefined ? [] : [{ from: 0, through: newest.sequence }]
    const forget = () => {
      seconds = seconds.slice(expired.length)
    }
    if (gathered === null && drop.length === 0) return null
    const write =
      gathered === null
        ? { change: { row: null, drop }, written: () => undefined, failed: () => undefined }
        : writeRow(gathered, scope, drop)
    return {
      ...write,
      written: () => {
        forget()
        write.written()
      },
    }
  }
}
