// Takes a server down in order: its clients move or end, its parts stop, everything is written, the database closes.
import { setTimeout } from 'node:timers/promises'
import type { Settings } from '../config/settings-file.ts'
import type { Log } from '../http/log.ts'
import type { Ledger } from '../limits/start-ledger.ts'
import { drain, type KeptStreams, letClientsMove } from '../process/drain.ts'
import type { RunningDoors } from '../process/listen.ts'
import type { Readiness } from '../process/readiness.ts'
import { closingMs } from '../process/take-over.ts'
import type { RunningServer, StopManner } from './running-server.ts'

export type StopParts = {
  readonly settings: Pick<Settings, 'drain_announce_seconds' | 'drain_seconds'>
  readonly readiness: Readiness
  readonly keptStreams: KeptStreams
  readonly open: RunningDoors
  readonly ledger: Ledger
  /** Monotonic ms. */
  readonly stopwatch: () => number
  readonly log: Pick<Log, 'warn'>
  /** Ends what pages follow, so that they look for another process. */
  readonly endPages: () => void
  /** Each in its order, one after the other. */
  readonly beforeLedger: readonly Stop[]
  readonly afterLedger: readonly Stop[]
}

type Stop = () => unknown

/** What clients that keep their connections get to find another process. */
const leastMoveMs = 1000

export function createStop(parts: StopParts): Pick<RunningServer, 'stop' | 'longestStopMs'> {
  const { settings, readiness, keptStreams, open, ledger, stopwatch, log } = parts
  const announceMs = settings.drain_announce_seconds * 1000
  const drainMs = settings.drain_seconds * 1000
  const movingMs = Math.max(announceMs, leastMoveMs)
  const stop = async (how: StopManner = 'at once'): Promise<boolean> => {
    readiness.enter(how === 'replaced' ? 'replaced' : 'draining')
    parts.endPages()
    if (how === 'announced') await setTimeout(announceMs)
    if (how === 'replaced')
      await letClientsMove(
        { streams: keptStreams, now: stopwatch, wait: setTimeout },
        { announceMs: movingMs, mostMs: drainMs },
      )
    const left = await drain(
      {
        doors: Object.values(open),
        countCalls: () => ledger.limits.totals().slots - ledger.countHopeless(),
        countStreams: () => ledger.writer.countStreams(),
        wait: setTimeout,
      },
      drainMs,
    )
    if (left > 0)
      log.warn({ requests: left }, 'The time to drain was up: requests that still ran were cut off.')
    for (const stopPart of parts.beforeLedger) await stopPart()
    const isWritten = await ledger.stop()
    readiness.enter('stopped')
    for (const stopPart of parts.afterLedger) await stopPart()
    return isWritten
  }
  return { stop, longestStopMs: Math.max(movingMs, drainMs) + drainMs + closingMs }
}
