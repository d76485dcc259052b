// Locks and unlocks a team's board for an organiser, with the audit row of the change (spec 3.3).
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { type Board, createBoard, isBoardLocked, readBoard, setBoardLock } from './boards.ts'
import { writeChange } from './directory-version.ts'

export type ChangeBoardLockInput = {
  readonly teamId: string
  /** `lockAt` sets a time; a board that is locked already stays locked. */
  readonly change: 'lock' | 'unlock' | { readonly lockAt: number }
  /** Unix ms. */
  readonly now: number
  readonly audit: Pick<AuditEntry, 'actor' | 'action'>
}

/**
 * Reads the board for `before`, then as `setBoardLock`. Once it has committed no further entry can be stored by any process: an append
 * reads the lock in its own transaction. `version`: the number of the change.
 */
export async function changeBoardLock(
  db: Kysely<Schema>,
  { teamId, change, now, audit }: ChangeBoardLockInput,
): Promise<{ readonly board: Board; readonly version: number }> {
  const { version, result } = await writeChange(db, async next => {
    await createBoard(db, { teamId, now, version: next })
    const before = await readBoard(db, { teamId })
    const lockAt = typeof change === 'object' ? change.lockAt : null
    // Once a set time has come the board stays locked: a later time does not open it again.
    const isLocked = before !== undefined && isBoardLocked(before, now)
    const locked = typeof change === 'object' ? isLocked : change === 'lock'
    const board = await setBoardLock(db, { teamId, locked, lockAt, now, version: next })
    const states = {
      before: before === undefined ? null : describeLock(before),
      after: describeLock(board),
    }
    await appendAudit(db, [{ ...audit, ...states, at: now, team_id: teamId, target: teamId }])
    return board
  })
  return { board: result, version }
}

function describeLock({ locked, lockAt }: Board): string {
  return JSON.stringify({ locked, lock_at: lockAt === null ? null : new Date(lockAt).toISOString() })
}
