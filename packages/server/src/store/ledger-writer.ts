// Group commit of charges and stream rows: whatever waits while one commit runs goes into the next.
import type { OpenStreamsTable } from './schema/ledger.ts'
import type { VideoTasksTable } from './schema/videos.ts'
import type { ChargeRow } from './statements/charges.ts'
import type { LedgerBatch } from './statements/ledger-batch.ts'
import type { StreamProgress } from './statements/open-streams.ts'
import type { WindowRowsChange } from './statements/window-rows.ts'
import { isStoreFailure } from './store-unavailable.ts'

type Item =
  | { readonly kind: 'open'; readonly row: OpenStreamsTable }
  | { readonly kind: 'charge'; readonly row: ChargeRow; readonly videoTask: VideoTasksTable | null }
  | { readonly kind: 'drop'; readonly row: { team_id: string; call_id: string } }

type Waiting = {
  readonly item: Item
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export type LedgerWriter = {
  /**
   * Resolves when the charge is on disk. Rejects when the store failed; the row is then kept and retried, and `onDurable` is
   * called when it is written at last, so the hold can stay until then. A task is written in the same transaction.
   */
  readonly charge: (row: ChargeRow, onDurable: () => void, videoTask?: VideoTasksTable) => Promise<void>
  /** Resolves when the row is on disk. `snapshot` is asked about once a second for the stream's progress, null for none yet. */
  readonly openStream: (row: OpenStreamsTable, snapshot: () => StreamProgress | null) => Promise<void>
  /** Removes the row of a stream that ended without a charge. */
  readonly dropStream: (row: { team_id: string; call_id: string }) => Promise<void>
  /** Streams that were opened, and are neither charged nor dropped. */
  readonly countStreams: () => number
  /** False while rows wait to be retried: no new paid call may start then. */
  readonly isHealthy: () => boolean
  /** Charges of ended calls that wait to be retried. */
  readonly countUnwritten: () => number
  /** Writes what is left and stops; false when rows could not be written. */
  readonly close: () => Promise<boolean>
}

/** Rows about the windows that go with a commit; one of the two is called when it has ended. */
export type WindowWrite = {
  readonly change: WindowRowsChange
  readonly written: () => void
  readonly failed: () => void
}

export type LedgerWriterDependencies = {
  readonly commit: (batch: LedgerBatch) => Promise<void>
  /**
   * What the windows have counted by now, asked for each commit, and once a second for all of that second; null when nothing has
   * changed. A charge never waits for it: when it cannot be written, the charge is written without.
   */
  readonly gatherWindows: (scope: 'commit' | 'second') => WindowWrite | null
  readonly reportWindowFailure: (error: unknown) => void
  /** Runs a function every so many milliseconds; returns its stop. */
  readonly every: (milliseconds: number, run: () => void) => () => void
  readonly observeCommit: (rows: number, seconds: number) => void
  readonly reportFailure: (error: unknown, rows: number) => void
  readonly monotonicMs: () => number
  /** Resolves when the event loop has served what is ready: at 64 callers a commit then has 31 charges instead of 17. */
  readonly nextTurn: () => Promise<void>
}

const maximumBatch = 2000
const progressIntervalMs = 1000

export function createLedgerWriter(dependencies: LedgerWriterDependencies): LedgerWriter {
  const { commit, observeCommit, monotonicMs, nextTurn } = dependencies
  let waiting: Waiting[] = []
  let retrying: Waiting[] = []
  /** Charges of ended calls that are not on disk yet, from the first failure until they are written. */
  const unwritten = new Set<ChargeRow>()
  let isRunning = false
  let running: Promise<void> = Promise.resolve()
  const streams = new Map<string, () => StreamProgress | null>()
  let progressDue = false
  let windowsDue = false
  /** From a failure on only the row of each second tries again. */
  let windowsFailed = false
  /** Several calls wait at once: another turn of the event loop brings more of them into the same commit. */
  let isBusy = false

  /** A stream whose progress cannot be told must not stop the charges of all others. */
  const readProgress = (snapshot: () => StreamProgress | null): StreamProgress[] => {
    try {
      return [snapshot() ?? []].flat()
    } catch (error) {
      dependencies.reportFailure(error, 0)
      return []
    }
  }

  const collectProgress = (): StreamProgress[] => {
    if (!progressDue) return []
    progressDue = false
    return [...streams.values()].flatMap(readProgress)
  }

  const collectWindows = (): WindowWrite | null => {
    if (!windowsDue && windowsFailed) return null
    const scope = windowsDue ? 'second' : 'commit'
    windowsDue = false
    try {
      return dependencies.gatherWindows(scope)
    } catch (error) {
      dependencies.reportWindowFailure(error)
      return null
    }
  }

  const tryCommit = async (
    items: readonly Waiting[],
    progress: readonly StreamProgress[],
    windows: WindowRowsChange | null = null,
  ) => {
    const started = monotonicMs()
    await commit(buildBatch(items, progress, windows))
    const rows = items.length + progress.length
    if (rows > 0) observeCommit(rows, (monotonicMs() - started) / 1000)
    for (const item of items) item.resolve()
  }

  const refuse = (items: readonly Waiting[], error: unknown) => {
    dependencies.reportFailure(error, items.length)
    for (const item of items) item.reject(error)
  }

  /** A failing batch is halved until the rows at fault stand alone, so that one bad row harms no neighbour. False when some failed. */
  const commitSplitting = async (
    items: readonly Waiting[],
    progress: readonly StreamProgress[],
  ): Promise<boolean> => {
    try {
      await tryCommit(items, progress)
      return true
    } catch (error) {
      // A full disk or a lost connection fails every half as well: splitting would only repeat the wait.
      if (items.length <= 1 || isStoreFailure(error)) {
        refuse(items, error)
        return false
      }
      const middle = items.length >> 1
      const isFirstWritten = await commitSplitting(items.slice(0, middle), [])
      return (await commitSplitting(items.slice(middle), [])) && isFirstWritten
    }
  }

  const commitWithWindows = async (
    items: readonly Waiting[],
    progress: readonly StreamProgress[],
    windows: WindowWrite,
  ): Promise<void> => {
    try {
      await tryCommit(items, progress, windows.change)
      windows.written()
      windowsFailed = false
    } catch (error) {
      windows.failed()
      const isAlone = items.length + progress.length === 0
      if (!isAlone && isStoreFailure(error)) {
        refuse(items, error)
        return
      }
      // Whose fault it was is known when the rest has been tried without.
      windowsFailed = isAlone || (await commitSplitting(items, progress))
      if (windowsFailed) dependencies.reportWindowFailure(error)
    }
  }

  const run = async () => {
    while (waiting.length > 0 || progressDue || windowsDue) {
      if (isBusy) await nextTurn()
      const batch = waiting.slice(0, maximumBatch)
      waiting = waiting.slice(maximumBatch)
      isBusy = batch.length > 1
      const progress = collectProgress()
      const windows = collectWindows()
      if (windows !== null) await commitWithWindows(batch, progress, windows)
      else if (batch.length + progress.length > 0) await commitSplitting(batch, progress)
    }
    isRunning = false
  }
  const wake = () => {
    // A flag of its own: `run` may end before it has waited for anything, and so before its promise is assigned.
    if (isRunning) return
    isRunning = true
    running = run()
  }
  const submit = (item: Item) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      wake()
    })

  const retryLater = (item: Item & { kind: 'charge' }, onDurable: () => void) => {
    const { row } = item
    const again: Waiting = {
      item,
      resolve: () => {
        unwritten.delete(row)
        onDurable()
      },
      reject: () => retrying.push(again),
    }
    unwritten.add(row)
    retrying.push(again)
  }

  const stopTimer = dependencies.every(progressIntervalMs, () => {
    progressDue = streams.size > 0
    windowsDue = true
    if (retrying.length > 0) {
      waiting.push(...retrying)
      retrying = []
    }
    wake()
  })

  return Object.freeze({
    charge: async (row: ChargeRow, onDurable: () => void, videoTask: VideoTasksTable | null = null) => {
      const item = { kind: 'charge', row, videoTask } as const
      streams.delete(row.call_id)
      try {
        await submit(item)
      } catch (error) {
        retryLater(item, onDurable)
        throw error
      }
      onDurable()
    },
    openStream: async (row: OpenStreamsTable, snapshot: () => StreamProgress | null) => {
      streams.set(row.call_id, snapshot)
      try {
        await submit({ kind: 'open', row })
      } catch (error) {
        streams.delete(row.call_id)
        throw error
      }
    },
    dropStream: (row: { team_id: string; call_id: string }) => {
      streams.delete(row.call_id)
      return submit({ kind: 'drop', row })
    },
    countStreams: () => streams.size,
    isHealthy: () => unwritten.size === 0,
    countUnwritten: () => unwritten.size,
    close: async () => {
      stopTimer()
      waiting.push(...retrying)
      retrying = []
      wake()
      await running
      // What the last charges gave back or took of the windows is known when they have been settled.
      await nextTurn()
      windowsDue = true
      wake()
      await running
      return unwritten.size === 0
    },
  })
}

function buildBatch(
  items: readonly Waiting[],
  progress: readonly StreamProgress[],
  windows: WindowRowsChange | null,
): LedgerBatch {
  const opened: OpenStreamsTable[] = []
  const charges: ChargeRow[] = []
  const dropped: { team_id: string; call_id: string }[] = []
  const videoTasks: VideoTasksTable[] = []
  for (const { item } of items) {
    if (item.kind === 'open') opened.push(item.row)
    else if (item.kind === 'charge') {
      charges.push(item.row)
      if (item.videoTask !== null) videoTasks.push(item.videoTask)
    } else dropped.push(item.row)
  }
  return { opened, progress, charges, dropped, videoTasks, windows }
}
