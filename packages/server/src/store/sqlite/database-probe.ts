// Reads the database from the disk, bypassing the connections' caches, and decides whether it is damaged.
import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { ownCodes, StoreError } from '../store-error.ts'
import type { FileChange } from './watch-files.ts'

/** Max size for a full check: 0.4 s. */
const smallBytes = 256 * 1024 * 1024

/** SQLite read the file and found it damaged. Every other code (no descriptor, no memory, a read error) may go away by itself. */
const wrongContent = /^SQLITE_(CORRUPT|NOTADB|FORMAT)/

/**
 * Uses a separate connection, opened at the start and without a cache between two reads. A connection that was opened for each read failed
 * when the process had no descriptor left, and a sound database was declared damaged.
 */
export class DatabaseProbe {
  readonly #path: string
  readonly #database: Database
  /** Consecutive reads that found the file damaged. */
  #wrongReads = 0

  constructor(path: string) {
    this.#path = path
    this.#database = new Database(path, { readonly: true })
  }

  /**
   * Throws StoreError: `fileDamaged` if this read and the one before found the file damaged, otherwise with the code of this failure. A
   * large file is checked whole only if it was truncated or is doubted; otherwise the first and the last page of each table are read. After
   * each checkpoint of the log only the list of tables is read.
   */
  readonly read = (change: FileChange | 'doubted'): void => {
    try {
      this.#readFile(change)
      // The other reads may have skipped the damaged part.
      if (change === 'doubted') this.#wrongReads = 0
    } catch (cause) {
      throw this.#explain(cause)
    }
  }

  close(): void {
    this.#database.close()
  }

  #readFile(change: FileChange | 'doubted'): void {
    const { size } = statSync(this.#path)
    // SQLite would take the log for a leftover and delete it.
    if (size === 0) throw new StoreError('it is empty', 'SQLITE_CORRUPT')
    this.#all('pragma shrink_memory')
    if (change === 'folded') {
      this.#all('select count(*) from sqlite_schema')
      return
    }
    if (change === 'written' && size > smallBytes) {
      this.#readEdges()
      return
    }
    const finding = this.#all('pragma quick_check(1)').find(({ quick_check }) => quick_check !== 'ok')
    if (finding !== undefined) throw new StoreError(String(finding.quick_check), 'SQLITE_CORRUPT')
  }

  #readEdges(): void {
    for (const { name } of this.#all("select name from sqlite_schema where type = 'table'")) {
      const table = `"${String(name).replaceAll('"', '""')}"`
      this.#all(`select * from ${table} limit 1`)
      this.#all(`select * from ${table} order by 1 desc limit 1`)
    }
  }

  #all(text: string): Record<string, unknown>[] {
    const statement = this.#database.prepare<Record<string, unknown>, []>(text)
    try {
      return statement.all()
    } finally {
      statement.finalize()
    }
  }

  #explain(cause: unknown): StoreError {
    const message = cause instanceof Error ? cause.message : String(cause)
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null
    if (code === null || !wrongContent.test(code))
      return new StoreError(`The database file ${this.#path} cannot be read: ${message}.`, code, { cause })
    this.#wrongReads += 1
    return new StoreError(
      `The database file ${this.#path} was changed by another program and is damaged: ${message}. Stop Fairgate and restore a backup.`,
      this.#wrongReads > 1 ? ownCodes.fileDamaged : code,
      { cause },
    )
  }
}
