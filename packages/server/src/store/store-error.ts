// Failures of the store as its engine reports them; `store-unavailable.ts` decides which of them make the whole store unusable.

export class StoreError extends Error {
  /** The engine's own code, such as `SQLITE_FULL` or `57P01`, or one of `ownCodes`; null if there is none. */
  readonly code: string | null
  constructor(message: string, code: string | null, options: { readonly cause?: unknown } = {}) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
  }
}

/** Codes for failures that no engine has a code for. */
export const ownCodes = {
  /** Another file, or none, is in the database's place: anything committed now is lost with the process. */
  fileGone: 'FAIRGATE_FILE_GONE',
  fileDamaged: 'FAIRGATE_FILE_DAMAGED',
  workerEnded: 'FAIRGATE_WORKER_ENDED',
  noAnswer: 'FAIRGATE_NO_ANSWER',
  lockLost: 'FAIRGATE_LOCK_LOST',
} as const

/** The database is already in use: a start can wait for that process to end. Its message says what to do. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'
}
