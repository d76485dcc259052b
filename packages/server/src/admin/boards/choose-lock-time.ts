// Decides from when on a board is locked, and refuses a time that was hardly meant.
import { refuseValue } from '../../directory/refuse-value.ts'
import { parseLockTime } from './parse-lock-time.ts'

/** Clocks differ, and whoever locks at the deadline itself must not be told that it has just passed. */
const leewayMs = 60_000

/** Null: now. `now` in Unix ms. Throws ApiError `invalid_request` that says what to send instead. */
export function chooseLockTime(
  body: { readonly lock_at?: string | null; readonly now?: boolean | null },
  now: number,
): number | null {
  if (typeof body.lock_at !== 'string') return null
  const lockAt = parseLockTime(body.lock_at)
  if (body.now === true && lockAt > now)
    throw refuseValue('now', `the time ${body.lock_at} is still to come. Send lock_at or now, not both.`)
  if (body.now !== true && lockAt < now - leewayMs)
    throw refuseValue(
      'lock_at',
      `${body.lock_at} lies in the past, and the board would be locked at once. Is the date right, and the offset? ` +
        'To lock now, leave lock_at (--at) out; to keep this time all the same, add now: true (--now).',
    )
  return lockAt
}
