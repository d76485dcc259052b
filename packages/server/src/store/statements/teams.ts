// Teams on disk: read at start, written with the audit row of each change.
import type { Kysely } from 'kysely'
import type { TeamsTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { createBoard } from './boards.ts'
import { holdDirectory } from './directory-lock.ts'

/** `select * from teams order by created_at, team_id`. */
export async function readTeams(db: Kysely<Schema>): Promise<TeamsTable[]> {
  return await db.selectFrom('teams').selectAll().orderBy('created_at').orderBy('team_id').execute()
}

/** `insert into teams …` with its open board and its audit row. Throws when the team_id exists. */
export async function insertTeam(
  db: Kysely<Schema>,
  input: { team: TeamsTable; audit: AuditEntry },
): Promise<void> {
  await holdDirectory(db)
  await db.insertInto('teams').values(input.team).execute()
  await createBoard(db, { teamId: input.team.team_id, now: input.team.created_at })
  await appendAudit(db, [input.audit])
}

/** `update teams set … where team_id = ?` with its audit row. */
export async function updateTeam(
  db: Kysely<Schema>,
  input: { team: TeamsTable; audit: AuditEntry },
): Promise<void> {
  await holdDirectory(db)
  const { team_id, ...changes } = input.team
  await db.updateTable('teams').set(changes).where('team_id', '=', team_id).execute()
  await appendAudit(db, [input.audit])
}
