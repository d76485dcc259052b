// The memory engine with its window rows in a list that successive processes read.
import { createMemoryLimits } from '../memory/create-memory-limits.ts'
import { createWindowJournal } from '../windows/create-window-journal.ts'
import { replayRows } from '../windows/replay-rows.ts'
import { createStoredRows } from './create-stored-rows.ts'
import type { CreateEngine, EngineProcess } from './engine.ts'

export const createMemoryEngine: CreateEngine = time => {
  const stored = createStoredRows()
  const begin = (lastSequence: number) => {
    let latest = Number.NEGATIVE_INFINITY
    const clock = () => {
      latest = Math.max(latest, time.now)
      return time.now
    }
    const limits = createMemoryLimits({ clock })
    // The windows do not follow a clock that steps back: the time of day is assumed to be theirs.
    const wallClock = () => latest
    const journal = createWindowJournal({ gather: limits.gatherWindows, clock, wallClock, lastSequence })
    return {
      limits,
      journal,
      charge: limits.settle,
      refund: (...[{ teamId, keyHash, modelId, periods }, cost]: Parameters<EngineProcess['refund']>) =>
        limits.refund({ teamId, keyHash, modelId, periods, cost }),
      adjust: limits.adjust,
    }
  }
  let running = begin(0)
  return {
    get processes() {
      return [running] as const
    },
    shared: null,
    write: scope => {
      const written = running.journal(scope)
      stored.write(written)
      return written !== null && written.change.row !== null
    },
    lastWrittenAt: () => stored.rows().at(-1)?.writtenAt ?? null,
    restart: (_, totals) => {
      const rows = stored.rows()
      running = begin(rows.at(-1)?.sequence ?? 0)
      running.limits.restoreWindows(replayRows(rows, time.now).windows)
      running.limits.load(totals)
    },
  }
}
