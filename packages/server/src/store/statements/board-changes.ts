// Locks and unlocks the boards of teams for an organiser, with the audit rows of the change (spec 3.3).
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { type Board, createBoard, isLockedByHand, toBoard } from './boards.ts'
import { writeChange } from './directory-version.ts'

export type ChangeBoardLocksInput = {
  readonly teamIds: readonly string[]
  /** `lockAt` sets a time; a board that is already locked stays locked. */
  readonly change: 'lock' | 'unlock' | { readonly lockAt: number }
  /** Unix ms. */
  readonly now: number
  readonly audit: Pick<AuditEntry, 'actor' | 'action' | 'reason' | 'bulk_id'>
}

/** Rows of audit in one statement: SQLite takes 32,766 values. */
const rowsAtOnce = 500

/**
 * `update boards set … where team_id in (…)`, under one number and with an audit row for each. Once it has committed, no process can store
 * another entry: an append holds the same row. `boards`: their new state, in the order of the teams.
 */
export async function changeBoardLocks(
  db: Kysely<Schema>,
  { teamIds, change, now, audit }: ChangeBoardLocksInput,
): Promise<{ readonly version: number; readonly boards: readonly Board[] }> {
  const read = async () => {
    const rows = await db.selectFrom('boards').selectAll().where('team_id', 'in', teamIds).execute()
    return new Map(rows.map(row => [row.team_id, toBoard(row)]))
  }
  const { version, result } = await writeChange(db, async () => {
    const before = await read()
    for (const teamId of teamIds) if (!before.has(teamId)) await createBoard(db, { teamId, now })
    const lockAt = typeof change === 'object' ? change.lockAt : null
    const isLocked = (teamId: string) => {
      const board = before.get(teamId)
      return typeof change === 'object'
        ? board !== undefined && isLockedByHand(board, now)
        : change === 'lock'
    }
    // Once a lock time has passed, the board stays locked: a later time does not open it again.
    for (const locked of [true, false]) {
      const ids = teamIds.filter(teamId => isLocked(teamId) === locked)
      if (ids.length === 0) continue
      await db
        .updateTable('boards')
        .set({
          locked: locked ? 1 : 0,
          lock_at: lockAt,
          ...(change === 'unlock' ? { opened_at: now } : {}),
          updated_at: now,
        })
        .where('team_id', 'in', ids)
        .execute()
    }
    const after = await read()
    const rows = teamIds.map(teamId => ({
      ...audit,
      at: now,
      team_id: teamId,
      target: teamId,
      before: describeLockOf(before.get(teamId)),
      after: describeLockOf(after.get(teamId)),
    }))
    for (let from = 0; from < rows.length; from += rowsAtOnce)
      await appendAudit(db, rows.slice(from, from + rowsAtOnce))
    return teamIds.flatMap(teamId => after.get(teamId) ?? [])
  })
  return { version, boards: result }
}

function describeLockOf(board: Board | undefined): string | null {
  return board === undefined ? null : describeLock(board)
}

function describeLock({ locked, lockAt }: Board): string {
  return JSON.stringify({ locked, lock_at: lockAt === null ? null : new Date(lockAt).toISOString() })
}
