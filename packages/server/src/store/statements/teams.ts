// Teams on disk, each change written with its number and its audit row.
import type { Kysely } from 'kysely'
import type { TeamsTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { createBoard } from './boards.ts'
import { tryChange } from './directory-version.ts'

/** A row as its author knows it; the statement numbers it. */
export type TeamRow = Omit<TeamsTable, 'version'>

/**
 * `insert into teams …` with its open board and its audit row. Answers the number of the change, or null when the team_id is taken;
 * nothing is written then.
 */
export async function insertTeam(
  db: Kysely<Schema>,
  { team, audit }: { readonly team: TeamRow; readonly audit: AuditEntry },
): Promise<number | null> {
  return await tryChange(db, async version => {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('teams')
      .values({ ...team, version })
      .onConflict(conflict => conflict.column('team_id').doNothing())
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows === 0n) return false
    await createBoard(db, { teamId: team.team_id, now: team.created_at, version })
    await appendAudit(db, [audit])
    return true
  })
}

/**
 * `update teams set … where team_id = ? and version = ?` with its audit row. `seen` is the version that the change was made from.
 * Answers the number of the change, or null when the row has another version by now; nothing is written then.
 */
export async function updateTeam(
  db: Kysely<Schema>,
  { team, seen, audit }: { readonly team: TeamRow; readonly seen: number; readonly audit: AuditEntry },
): Promise<number | null> {
  return await tryChange(db, async version => {
    const { team_id, ...changes } = team
    const { numUpdatedRows } = await db
      .updateTable('teams')
      .set({ ...changes, version })
      .where('team_id', '=', team_id)
      .where('version', '=', seen)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await appendAudit(db, [audit])
    return true
  })
}
