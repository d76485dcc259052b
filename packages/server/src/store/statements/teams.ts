// Teams on disk, each change written with its number and its audit row.
import type { Kysely } from 'kysely'
import type { TeamsTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { createBoard } from './boards.ts'
import { tryChange } from './directory-version.ts'
import { changeAlone, haveVersions } from './numbered-rows.ts'

/** Rows of one statement: SQLite takes 32,766 values, and a team has less than 30. */
const rowsAtOnce = 500

/** A row as its author builds it; the statement numbers it. */
export type TeamRow = Omit<TeamsTable, 'version'>

/**
 * `insert into teams …` with its open board and its audit row. Returns the number of the change, or null if the team_id is taken; nothing
 * is written then.
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
    await createBoard(db, { teamId: team.team_id, now: team.created_at })
    await appendAudit(db, [audit])
    return true
  })
}

export const updateTeam = changeAlone('teams')

export type UpdateTeamsInput = {
  /** Each with the version that its author has read. */
  readonly teams: readonly { readonly team: TeamRow; readonly seen: number }[]
  readonly audit: readonly AuditEntry[]
}

/**
 * Like `updateTeam` for many, under one number: `insert into teams … on conflict (team_id) do update …`, with their audit rows. Returns
 * null if one of them no longer exists or has another version by now; nothing is written then.
 */
export async function updateTeams(
  db: Kysely<Schema>,
  { teams, audit }: UpdateTeamsInput,
): Promise<number | null> {
  return await tryChange(db, async version => {
    const read = teams.map(({ team, seen }) => [team.team_id, seen] as const)
    if (!(await haveVersions(db, 'teams', read))) return false
    for (let from = 0; from < teams.length; from += rowsAtOnce) {
      const rows = teams.slice(from, from + rowsAtOnce).map(({ team }) => ({ ...team, version }))
      await db
        .insertInto('teams')
        .values(rows)
        .onConflict(conflict =>
          conflict.column('team_id').doUpdateSet(({ ref }) => ({
            alias: ref('excluded.alias'),
            models: ref('excluded.models'),
            blocked: ref('excluded.blocked'),
            max_budget_nano: ref('excluded.max_budget_nano'),
            budget_duration: ref('excluded.budget_duration'),
            budget_anchor: ref('excluded.budget_anchor'),
            rpm_limit: ref('excluded.rpm_limit'),
            tpm_limit: ref('excluded.tpm_limit'),
            metadata: ref('excluded.metadata'),
            informational: ref('excluded.informational'),
            hidden_at: ref('excluded.hidden_at'),
            updated_at: ref('excluded.updated_at'),
            updated_by: ref('excluded.updated_by'),
            version: ref('excluded.version'),
          })),
        )
        .execute()
      await appendAudit(db, audit.slice(from, from + rowsAtOnce))
    }
    return true
  })
}
