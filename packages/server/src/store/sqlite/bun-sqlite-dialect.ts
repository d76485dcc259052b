// Lets Kysely's SQLite dialect use `bun:sqlite`, by adapting one statement interface to the other.
import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { type Dialect, SqliteAdapter, SqliteDialect, type SqliteStatement } from 'kysely'

type Prepared = SqliteStatement & { readonly finalize: () => void }

export type KeptStatements = { readonly prepare: (text: string) => SqliteStatement }

function adaptStatement(statement: Statement<unknown, SQLQueryBindings[]>): Prepared {
  const bind = (parameters: readonly unknown[]) => parameters as SQLQueryBindings[]
  return {
    reader: statement.columnNames.length > 0,
    all: parameters => statement.all(...bind(parameters)),
    run: parameters => statement.run(...bind(parameters)),
    iterate: parameters => statement.iterate(...bind(parameters)) as IterableIterator<unknown>,
    finalize: () => statement.finalize(),
  }
}

const maxPrepared = 500

/**
 * Keeps statements prepared by their text, and drops the oldest if there are too many. `Database.query` keeps the first twenty texts, which
 * the migrations have used up before the first call: a batch of 32 charges then took 19 µs, against 13.
 */
function keepPrepared(database: Database) {
  const kept = new Map<string, Prepared>()
  return {
    prepare: (text: string): SqliteStatement => {
      const known = kept.get(text)
      if (known !== undefined) return known
      const [oldest] = kept
      if (oldest !== undefined && kept.size === maxPrepared) {
        oldest[1].finalize()
        kept.delete(oldest[0])
      }
      const prepared = adaptStatement(database.prepare(text))
      kept.set(text, prepared)
      return prepared
    },
    /** A statement that is not finalized keeps the file open. */
    close: () => {
      for (const prepared of kept.values()) prepared.finalize()
      database.close()
    },
  }
}

/**
 * Opens a SQLite file (or `:memory:`) for Kysely. WAL with `synchronous=FULL`: a commit that returned has reached the disk, which WAL's
 * default (NORMAL) does not promise after a power cut. `read exactly`: integers are bigint, all 64 bits of them.
 */
export function openBunSqlite(
  path: string,
  mode: 'write' | 'read' | 'read exactly',
): { dialect: Dialect; database: Database; statements: KeptStatements } {
  const database =
    mode === 'write'
      ? new Database(path, { create: true, strict: false })
      : new Database(path, { readonly: true, safeIntegers: mode === 'read exactly' })
  if (mode === 'write') database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = FULL')
  database.run('PRAGMA busy_timeout = 10000')
  database.run('PRAGMA foreign_keys = ON')
  database.run('PRAGMA cache_size = -65536')
  // 16 MiB of log before it is checkpointed into the file, instead of SQLite's 4: entries touch pages all over six indexes, and each checkpoint
  // writes them again. 17 % more entries a second at 300,000; 64 MiB gives 3 % more but adds 2 ms to a chat call's p99.
  if (mode === 'write') database.run('PRAGMA wal_autocheckpoint = 4096')
  const statements = keepPrepared(database)
  return { dialect: new TransactionalSqlite({ database: statements }), database, statements }
}

/** Migrates in one transaction, which Kysely does not expect of SQLite: an interrupted start leaves no part of a schema behind. */
class TransactionalSqlite extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}
