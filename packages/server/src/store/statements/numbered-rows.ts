// Writes rows of the directory as their authors build them, each with the number of the change that it belongs to.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { tryChange, writeChange } from './directory-version.ts'

/** The column that identifies a row, by table. */
const nameColumns = {
  teams: 'team_id',
  gateway_keys: 'key_hash',
  log_tokens: 'token_hash',
  members: 'member_id',
  announcements: 'announcement_id',
} as const

type Table = keyof typeof nameColumns
type Numbered<Name extends Table> = Omit<Schema[Name], 'version'>
/** The changed columns of a row, and its identifier. */
type Change<Name extends Table> = Partial<Numbered<Name>>

/** `insert into … values …`. */
export async function insertNumbered<Name extends Table>(
  db: Kysely<Schema>,
  table: Name,
  row: Numbered<Name>,
  version: number,
): Promise<void> {
  const members = Object.entries({ ...row, version }).filter(([, value]) => value !== undefined)
  const columns = sql.join(members.map(([column]) => sql.ref(column)))
  const values = sql.join(members.map(([, value]) => value))
  await sql`insert into ${sql.table(table)} (${columns}) values (${values})`.execute(db)
}

/** `update … set … where <name> = ? [and version = ?]`: false if the row no longer exists, or has another version than `seen` by now. */
export async function changeNumbered<Name extends Table>(
  db: Kysely<Schema>,
  table: Name,
  row: Change<Name>,
  version: number,
  seen: number | null = null,
): Promise<boolean> {
  const name = nameColumns[table]
  const members = Object.entries({ ...row, version }).filter(
    ([column, value]) => column !== name && value !== undefined,
  )
  const changes = sql.join(members.map(([column, value]) => sql`${sql.ref(column)} = ${value}`))
  const isAsSeen = seen === null ? sql`` : sql` and version = ${seen}`
  const { numAffectedRows } = await sql`update ${sql.table(table)} set ${changes}
    where ${sql.ref(name)} = ${Reflect.get(row, name)}${isAsSeen}`.execute(db)
  return numAffectedRows !== 0n
}

/** True if all of these exist with the versions that their author has read. The number of the change is held, so they cannot change after this. */
export async function haveVersions(
  db: Kysely<Schema>,
  table: Table,
  seen: readonly (readonly [name: string, version: number])[],
): Promise<boolean> {
  if (seen.length === 0) return true
  const column = sql.ref(nameColumns[table])
  const { rows } = await sql<{ name: string; version: number }>`
    select ${column} as name, version from ${sql.table(table)}
    where ${column} in (${sql.join(seen.map(([name]) => name))})`.execute(db)
  const versions = new Map(rows.map(({ name, version }) => [name, version]))
  return seen.every(([name, version]) => versions.get(name) === version)
}

/** Inserts a row in a separate change, with its audit row. Returns the number of the change. */
export function insertAlone<Name extends Table>(table: Name) {
  return async (
    db: Kysely<Schema>,
    { row, audit }: { readonly row: Numbered<Name>; readonly audit: AuditEntry },
  ): Promise<number> => {
    const { version } = await writeChange(db, async next => {
      await insertNumbered(db, table, row, next)
      await appendAudit(db, [audit])
    })
    return version
  }
}

/**
 * Changes a row in a separate change, with its audit row. `seen` is the version that it was made from. Returns its number, or null if the
 * row no longer exists or has another version by now; nothing is written then.
 */
export function changeAlone<Name extends Table>(table: Name) {
  return (
    db: Kysely<Schema>,
    { row, seen, audit }: { readonly row: Change<Name>; readonly seen: number; readonly audit: AuditEntry },
  ): Promise<number | null> =>
    tryChange(db, async version => {
      if (!(await changeNumbered(db, table, row, version, seen))) return false
      await appendAudit(db, [audit])
      return true
    })
}
