// Distinguishes an unusable store from a faulty statement, by the error codes of SQLite, PostgreSQL and its driver.
import { ownCodes } from './store-error.ts'

/** Coarse on purpose: anyone may read it at `/health/ready`. */
export type StoreFailureReason =
  | 'database_damaged'
  | 'database_full'
  | 'database_read_only'
  | 'database_unavailable'

/** For organisers only: why the database cannot be used, and what to do. */
export const storeFailureTexts: Readonly<Record<StoreFailureReason, string>> = {
  database_full:
    'The database disk is full: paid calls, entries and changes are refused. Free some space; no restart is needed.',
  database_read_only:
    'The database is read-only: paid calls, entries and changes are refused. Make its disk or server writable again; no restart is needed.',
  database_damaged:
    'The database files were damaged, moved or replaced: paid calls, entries and changes are refused. Put the files back, or restore a backup and start again.',
  database_unavailable:
    'The database does not answer: paid calls, entries and changes are refused until it does. The log has the cause.',
}

export type FailureClass =
  | {
      readonly scope: 'store'
      readonly reason: StoreFailureReason
      /** Only a restart, after a repair, ends it. */
      readonly isPermanent: boolean
    }
  /** Affects only this statement, and only now: a lock that it waited for, a timeout, a deadlock. */
  | { readonly scope: 'moment' }
  /** The statement itself is at fault: a constraint, or an error of ours. */
  | { readonly scope: 'statement' }

const store = (reason: StoreFailureReason, isPermanent = false): FailureClass => ({
  scope: 'store',
  reason,
  isPermanent,
})
const moment: FailureClass = { scope: 'moment' }

/** The first pattern that matches the code decides. Codes: sqlite.org/rescode.html; PostgreSQL's manual, appendix A. */
const classes: readonly (readonly [RegExp, FailureClass])[] = [
  // Only the second read of the file makes it final, as `fileDamaged` (sqlite/database-probe.ts).
  [/^SQLITE_(CORRUPT|NOTADB|FORMAT)/, store('database_damaged')],
  [/^SQLITE_FULL/, store('database_full')],
  // A file that was moved or replaced while the connection was open.
  [/^SQLITE_READONLY_DBMOVED/, store('database_damaged')],
  [/^SQLITE_READONLY/, store('database_read_only')],
  [/^SQLITE_(BUSY|LOCKED|INTERRUPT|ABORT)/, moment],
  [/^SQLITE_(IOERR|CANTOPEN|PERM|PROTOCOL|NOMEM|NOLFS|AUTH)/, store('database_unavailable')],
  // Class 53 is "insufficient resources"; 53100 is a full disk.
  [/^53100$/, store('database_full')],
  [/^25006$/, store('database_read_only')],
  [/^XX00[12]$/, store('database_damaged', true)],
  // 57014: a statement that took longer than allowed. 55P03: a lock. Class 40: deadlocks and similar.
  [/^(57014|55P03|40\w{3})$/, moment],
  // Connections, resources, operator intervention (a shutdown, a start), system errors, refused logins, no such database.
  [/^(08|53|57|58|28)\w{3}$/, store('database_unavailable')],
  [/^(3D000|F0\w{3}|25P03)$/, store('database_unavailable')],
  // Codes of the operating system, such as ECONNREFUSED or ENOSPC.
  [/^(ENOSPC|EDQUOT)$/, store('database_full')],
  [/^EROFS$/, store('database_read_only')],
  [/^E[A-Z]{3,}\w*$/, store('database_unavailable')],
  [/^ERR_(SSL|TLS|SOCKET)_/, store('database_unavailable')],
]

const ownClasses: Readonly<Record<string, FailureClass>> = {
  // The same file may come back.
  [ownCodes.fileGone]: store('database_damaged'),
  [ownCodes.fileDamaged]: store('database_damaged', true),
  [ownCodes.workerEnded]: store('database_unavailable', true),
  [ownCodes.noAnswer]: store('database_unavailable'),
  [ownCodes.lockLost]: store('database_unavailable'),
}

/** PostgreSQL's driver gives these no code. */
const lostConnection =
  /connection terminated|connection error|not queryable|connection has been discarded|timeout exceeded when trying to connect|timeout expired|query read timeout|connection ended|driver has already been destroyed|after calling end on the pool|was closed and is not queryable/i

export function classifyFailure(error: unknown): FailureClass {
  if (!(error instanceof Error)) return { scope: 'statement' }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const own = Object.hasOwn(ownClasses, code) ? ownClasses[code] : undefined
  if (own !== undefined) return own
  const found = classes.find(([pattern]) => pattern.test(code))
  if (found !== undefined) return found[1]
  return code === '' && lostConnection.test(error.message)
    ? store('database_unavailable')
    : { scope: 'statement' }
}
