// The few schema expressions that differ between SQLite and PostgreSQL.
import type { DialectName } from '../../dialect.ts'

export type Words = {
  readonly dialect: DialectName
  /** The type of bytes. */
  readonly bytes: string
  /** Numbers rows and never reuses a number. */
  readonly rowNumber: string
  /** Storage parameters of a table, which only PostgreSQL has. */
  readonly storage: (parameters: string) => string
}

export function wordsOf(dialect: DialectName): Words {
  return dialect === 'sqlite'
    ? { dialect, bytes: 'blob', rowNumber: 'integer primary key autoincrement', storage: () => '' }
    : {
        dialect,
        bytes: 'bytea',
        rowNumber: 'bigserial primary key',
        storage: parameters => `with (${parameters})`,
      }
}
