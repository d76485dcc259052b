// Identifies a statement's engine, for the few places where SQLite and PostgreSQL need different SQL.
import { type Kysely, SqliteAdapter } from 'kysely'

export type DialectName = 'sqlite' | 'postgres'

export function dialectOf<Tables>(db: Kysely<Tables>): DialectName {
  return db.getExecutor().adapter instanceof SqliteAdapter ? 'sqlite' : 'postgres'
}
