// The append-only audit: written with every management change, in the same transaction, and read newest first.
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { AuditTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'
import { writeChange } from './directory-version.ts'

/** One change to record; `before` and `after` are JSON objects without secrets. */
export type AuditEntry = Omit<Insertable<AuditTable>, 'id'>

/** `insert into audit …`. Called only by the other statements, so that no change of the database goes without its row. */
export async function appendAudit(db: Kysely<Schema>, entries: readonly AuditEntry[]): Promise<void> {
  await db
    .insertInto('audit')
    .values([...entries])
    .execute()
}

/** Deletes a row by its naming column, with its audit row. False if the row no longer exists; nothing is written then. */
export function deleteAudited(table: keyof Schema, column: string) {
  return async (
    db: Kysely<Schema>,
    { id, audit }: { readonly id: string; readonly audit: AuditEntry },
  ): Promise<boolean> => {
    const { numAffectedRows } =
      await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${id}`.execute(db)
    if (numAffectedRows === 0n) return false
    await appendAudit(db, [audit])
    return true
  }
}

/**
 * A change of the catalog file, which is not in the database: its audit row, and a number that makes the other processes reload their
 * files. Returns the number.
 */
export async function recordCatalogChange(
  db: Kysely<Schema>,
  { audit }: { readonly audit: AuditEntry },
): Promise<number> {
  const { version } = await writeChange(db, () => appendAudit(db, [audit]), 'catalog')
  return version
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
