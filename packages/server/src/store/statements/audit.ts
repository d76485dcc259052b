// The append-only audit: written beside every management change, in the same transaction, and read newest first.
import type { Insertable, Kysely, Selectable } from 'kysely'
import type { AuditTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'

/** One change to record; `before` and `after` are JSON objects without secrets. */
export type AuditEntry = Omit<Insertable<AuditTable>, 'id'>

/** `insert into audit …`. Called by the other statements only, so that no change of the database goes without its row. */
export async function appendAudit(db: Kysely<Schema>, entries: readonly AuditEntry[]): Promise<void> {
  await db
    .insertInto('audit')
    .values([...entries])
    .execute()
}

/** The row of a change whose state is not in the database, such as that of the catalog's file. */
export async function recordAudit(db: Kysely<Schema>, input: { audit: AuditEntry }): Promise<void> {
  await appendAudit(db, [input.audit])
}

export type AuditRecord = Selectable<AuditTable>

export type ListAuditInput = {
  readonly limit: number
  /** Only rows with a lower id; null for the newest. */
  readonly beforeId: number | null
  /** Null for every team. */
  readonly teamId: string | null
}

/** `select * from audit [where id < ?] [and team_id = ?] order by id desc limit ?`. */
export async function listAudit(db: Kysely<Schema>, input: ListAuditInput): Promise<AuditRecord[]> {
  let query = db.selectFrom('audit').selectAll()
  if (input.beforeId !== null) query = query.where('id', '<', input.beforeId)
  if (input.teamId !== null) query = query.where('team_id', '=', input.teamId)
  return await query.orderBy('id', 'desc').limit(input.limit).execute()
}
