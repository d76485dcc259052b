// The connection that writes: Kysely's statements, finished text that runs without Kysely, and transactions, one after another.
import type { Database } from 'bun:sqlite'
import { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { type KeptStatements, openBunSqlite } from './bun-sqlite-dialect.ts'

/**
 * Kysely's transaction and executor cost more than SQLite: a commit of one charge took 446 µs of the thread's CPU with them and 264
 * without, a commit of 30 charges 811 and 577 (measured on two shared cores; about half is the kernel's).
 */
export class WritingDatabase extends Kysely<Schema> {
  readonly #database: Database
  readonly #statements: KeptStatements
  #last: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    const { dialect, database, statements } = openBunSqlite(path, 'write')
    super({ dialect })
    this.#database = database
    this.#statements = statements
  }

  /** Runs a finished statement at once. */
  run(text: string, parameters: readonly unknown[]): unknown[] {
    const statement = this.#statements.prepare(text)
    if (statement.reader) return statement.all(parameters)
    statement.run(parameters)
    return []
  }

  /** Runs a finished change at once; returns how many rows it has written. */
  change(text: string, parameters: readonly unknown[]): number {
    return Number(this.#statements.prepare(text).run(parameters).changes)
  }

  /** Runs `work` once everything requested before has ended, successfully or not. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work, work)
    this.#last = turn
    return turn
  }

  /** Runs `work` in a transaction; only within a turn. */
  async transact<Result>(work: () => Promise<Result>): Promise<Result> {
    // A failed rollback has left its transaction open.
    if (this.#database.inTransaction) this.run('rollback', [])
    this.run('begin', [])
    try {
      const result = await work()
      this.run('commit', [])
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** SQLite ends the transaction by itself if the disk is full. The original error has the cause, not a rollback that fails too. */
  #rollBack(): void {
    try {
      if (this.#database.inTransaction) this.run('rollback', [])
    } catch {}
  }
}
