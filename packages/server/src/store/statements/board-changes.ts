// Locks and unlocks a team's board for an organiser, with the audit row of the change (spec 3.3).
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { type Board, createBoard, isBoardLocked, readBoard, setBoardLock } from './boards.ts'

export type ChangeBoardLockInput = {
  readonly teamId: string
  /** `lockAt` sets a time; a board that is locked already stays locked. */
  readonly change: 'lock' | 'unlock' | { readonly lockAt: number }
  /** Unix ms. */
  readonly now: number
  readonly audit: Pick<AuditEntry, 'actor' | 'action'>
}

/** Reads the board for `before`, then as `setBoardLock`. Once it has committed no further entry can be stored. */
export async function changeBoardLock(db: Kysely<Schema>, input: ChangeBoardLockInput): Promise<Board> {
  const { teamId, change, now } = input
  await createBoard(db, { teamId, now })
  const before = await readBoard(db, { teamId })
  const lockAt = typeof change === 'object' ? change.lockAt : null
  // Once a set time has come the board stays locked: a later time does not open it again.
  const isLocked = before !== undefined && isBoardLocked(before, now)
  const locked = typeof change === 'object' ? isLocked : change === 'lock'
  const after = await setBoardLock(db, { teamId, locked, lockAt, now })
  await appendAudit(db, [
    {
      ...input.audit,
      at: now,
      team_id: teamId,
      target: teamId,
      before: before === undefined ? null : describeLock(before),
      after: describeLock(after),
    },
  ])
  return after
}

function describeLock({ locked, lockAt }: Board): string {
  return JSON.stringify({ locked, lock_at: lockAt === null ? null : new Date(lockAt).toISOString() })
}
