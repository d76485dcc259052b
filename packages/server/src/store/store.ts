// The store as the rest of the server sees it: named statements that return promises, on either engine.
import type { Kysely } from 'kysely'
import type { StoreFailureReason } from './classify-failure.ts'
import { readStatements, readsOfCalls, writeStatements } from './operations.ts'
import type { Schema } from './schema/schema.ts'
import { createStoreHealth, type StoreHealth, type StoreHealthDependencies } from './store-health.ts'

type Client<Statements> = {
  readonly [Name in keyof Statements]: Statements[Name] extends (
    db: Kysely<Schema>,
    ...input: infer Input
  ) => Promise<infer Output>
    ? (...input: Input) => Promise<Output>
    : never
}

/** A statement rejects with StoreUnavailable (503) if the database cannot be used, and with StoreError if the statement itself is at fault. */
export type Store = {
  readonly read: Client<typeof readStatements>
  /** Each call is one transaction; it resolves when the commit is on disk. */
  readonly write: Client<typeof writeStatements>
  readonly handover: EntryHandover
  readonly health: StoreHealth
  /** Resolves when the records of all previously charged calls are filed as rows: see `statements/file-calls.ts`. */
  readonly fileCalls: () => Promise<void>
  /** Runs a statement that has a dedicated connection. Its failures count, and reach the caller, like those of any other statement. */
  readonly runApart: <Result>(statement: () => Promise<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

/** Passes entries from the preparing thread to the writing thread, without a copy on this one. */
export type EntryHandover = {
  /** A channel to the writing thread, for one preparing thread. Null if no thread writes: its entries come back to be written. */
  readonly openPort: () => MessagePort | null
  /** Discards entries that were handed over and will not be appended. */
  readonly discard: (heldAs: number) => void
}

type RunStatement = (name: string, input: unknown) => Promise<unknown>

export type Engine = {
  readonly read: RunStatement
  readonly write: RunStatement
  /** Absent if no thread writes. */
  readonly handover?: EntryHandover
  readonly check: StoreHealthDependencies['check']
  readonly close: () => Promise<void>
}

/** Callbacks for when the database becomes unusable, and usable again. */
export type StoreReports = {
  readonly reportFailure?: (error: unknown, reason: StoreFailureReason) => void
  readonly reportRecovery?: (reason: StoreFailureReason) => void
}

/** Builds the typed clients from functions that run a statement by its name. */
export function createStore(engine: Engine, reports: StoreReports = {}): Store {
  const { reportFailure = () => undefined, reportRecovery = () => undefined } = reports
  const health = createStoreHealth({
    check: engine.check,
    every: everyUnheld,
    reportFailure,
    reportRecovery,
    monotonicMs: () => performance.now(),
  })
  const read: RunStatement = async (name, input) => {
    const unfiled = readingCalls.has(name)
      ? await fileCalls().then(nothing, (error: unknown) => ({ error }))
      : undefined
    try {
      const found = await engine.read(name, input)
      // While the disk is full, lists show the filed calls. A call that is not found may be one that is not filed.
      if (found === null && unfiled !== undefined) throw unfiled.error
      return found
    } catch (error) {
      throw health.explain(error)
    }
  }
  const write: RunStatement = async (name, input) => {
    try {
      health.assertWritable()
      return await engine.write(name, input)
    } catch (error) {
      throw health.explain(error)
    }
  }
  const file = inTurns(async () => {
    while ((await write('fileCalls', { notes: notesPerFiling })) === notesPerFiling);
  })
  const fileCalls = async () => {
    if (await read('hasUnfiledCalls', null)) await file()
  }
  const { failure, onRecovery } = health
  return Object.freeze({
    read: buildClient<typeof readStatements>(Object.keys(readStatements), read),
    write: buildClient<typeof writeStatements>(Object.keys(writeStatements), write),
    handover: engine.handover ?? { openPort: () => null, discard: () => undefined },
    health: { failure, onRecovery },
    fileCalls,
    runApart: async statement => {
      try {
        return await statement()
      } catch (error) {
        throw health.explain(error)
      }
    },
    close: async () => {
      await health.stop()
      await engine.close()
    },
  })
}

const nothing = () => undefined

const readingCalls: ReadonlySet<string> = new Set(readsOfCalls)

/**
 * In one transaction: some 120 calls at 64 connections; charges that arrive meanwhile wait 2 ms for it. With 32 notes the 99th percentile of
 * chat calls was 52 to 58 ms, with these it is 27 to 30, as before.
 */
const notesPerFiling = 4

/** Never runs `work` twice at once: a caller that arrives while it runs gets the end of the next run, which all such callers share. */
function inTurns(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  const run = () => {
    next = null
    running = work()
    return running
  }
  return () => {
    next ??= running.then(run, run)
    return next
  }
}

/** Does not keep a process alive that has nothing else to do. */
function everyUnheld(milliseconds: number, run: () => void): () => void {
  const timer = setInterval(run, milliseconds)
  timer.unref()
  return () => clearInterval(timer)
}

function buildClient<Statements>(names: readonly string[], run: RunStatement): Client<Statements> {
  const entries = names.map(name => [name, (input: unknown) => run(name, input)])
  // The only place that passes the types of the statements over a channel of plain names.
  return Object.freeze(Object.fromEntries(entries)) as Client<Statements>
}
