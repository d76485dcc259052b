// Tells a statement which engine it runs on, for the few places where SQLite and PostgreSQL need other words.
import { type Kysely, SqliteAdapter } from 'kysely'

export type DialectName = 'sqlite' | 'postgres'

export function dialectOf<Tables>(db: Kysely<Tables>): DialectName {
  return db.getExecutor().adapter instanceof SqliteAdapter ? 'sqlite' : 'postgres'
}
