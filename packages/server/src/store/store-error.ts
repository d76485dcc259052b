// A failure of the store that callers may have to tell apart by its code.

export class StoreError extends Error {
  /** The engine's own code, such as `SQLITE_FULL` or `57P01`; null when it gave none. */
  readonly code: string | null
  constructor(message: string, code: string | null) {
    super(message)
    this.name = 'StoreError'
    this.code = code
  }
}
