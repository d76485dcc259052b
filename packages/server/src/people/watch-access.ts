// Ends what lasts, such as a live stream, when its caller is not let in any more: a session that was ended, a key that was blocked.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

export type Every = (milliseconds: number, run: () => Promise<void>) => () => void

/** How long somebody may go on reading. */
const recheckMs = 5000

export type AccessWatch = {
  /** Throws ApiError, or rejects with one, when the caller is not let in any more. */
  readonly check: () => unknown
  readonly end: () => void
}

/** Answers what stops the watching. Where nobody can be asked, as without a database, what runs goes on until somebody can. */
export function watchAccess(every: Every, { check, end }: AccessWatch): () => void {
  const stop = every(recheckMs, async () => {
    try {
      await check()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) return
      stop()
      end()
    }
  })
  return stop
}
