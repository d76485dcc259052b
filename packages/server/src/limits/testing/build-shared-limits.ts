// Builds the limits of one process on a real PostgreSQL for tests: connections, a row for the process, and its dependencies.
import { randomUUID } from 'node:crypto'
import { ServerChoice } from '../../store/postgres/choose-server.ts'
import { readDatabaseAddress } from '../../store/postgres/database-address.ts'
import { HotConnection } from '../../store/postgres/hot-connection.ts'
import type { RunQuery } from '../shared/admission-lane.ts'
import { SharedLimits } from '../shared/shared-limits.ts'

/** A connection with prepared statements. */
export class TestConnection {
  readonly #connection: HotConnection
  readonly run: RunQuery

  constructor(url: string, name: string, settings: readonly string[] = []) {
    const database = new ServerChoice(readDatabaseAddress(url))
    this.#connection = new HotConnection({ database, name, settings, statementMs: 20_000 })
    this.run = query => this.#connection.run({ ...query, values: [...query.values] })
  }

  /** Runs one statement that is not prepared; returns its rows. */
  report(text: string, ...values: unknown[]): Promise<unknown[][]> {
    return this.#connection.run({ text, values })
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}

/** As in the server: the processes announce again the admissions that a database crash loses. */
export function connectToAdmit(url: string, name: string): TestConnection {
  return new TestConnection(url, name, ['set synchronous_commit = off'])
}

/** Registers a process with an endless lease. Returns its id. */
export async function registerProcess(through: TestConnection, slot: number): Promise<string> {
  const processId = randomUUID()
  await through.report(
    "insert into processes (process_id, slot, lease_until, started_at, version) values ($1, $2, 9000000000000000, 0, 'test')",
    processId,
    slot,
  )
  return processId
}

type Dependencies = ConstructorParameters<typeof SharedLimits>[0]

/** Nothing runs at intervals unless `every` is given. */
export function buildSharedLimits(
  own: Pick<Dependencies, 'run' | 'read' | 'lease' | 'clock'> &
    Partial<Pick<Dependencies, 'every' | 'remembersRefusals'>>,
): SharedLimits {
  return new SharedLimits({
    nextTurn: () => new Promise(resolve => setImmediate(resolve)),
    after: (milliseconds, wake) => void setTimeout(wake, milliseconds).unref(),
    every: () => () => undefined,
    reportFailure: () => undefined,
    noteDirectory: () => undefined,
    monotonicMs: () => performance.now(),
    observeBatch: () => undefined,
    ...own,
  })
}
