// Members of teams on disk, each change written with its number and its audit row. Removed members stay.
import type { Kysely } from 'kysely'
import type { MembersTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { tryChange } from './directory-version.ts'
import { changeNumbered, haveVersions, insertNumbered } from './numbered-rows.ts'

/** A row as its author builds it; the statement numbers it. */
export type MemberRow = Omit<MembersTable, 'version'>

/**
 * `insert into members …` with its audit row. Returns the number of the change, or null if another member of the team has the name or the
 * address by now; nothing is written then.
 */
export async function insertMember(
  db: Kysely<Schema>,
  { member, audit }: { readonly member: MemberRow; readonly audit: AuditEntry },
): Promise<number | null> {
  return await tryChange(db, async version => {
    if (await isTaken(db, member)) return false
    await insertNumbered(db, 'members', member, version)
    await appendAudit(db, [audit])
    return true
  })
}

/** Like `insertMember`, for a member with a row that still has the version `seen`. */
export async function updateMember(
  db: Kysely<Schema>,
  { member, seen, audit }: { readonly member: MemberRow; readonly seen: number; readonly audit: AuditEntry },
): Promise<number | null> {
  return await tryChange(db, async version => {
    if (await isTaken(db, member)) return false
    if (!(await changeNumbered(db, 'members', member, version, seen))) return false
    await appendAudit(db, [audit])
    return true
  })
}

export type RemoveMemberInput = {
  /** The new state of the member. */
  readonly member: MemberRow
  readonly seen: number
  /** Keys and tokens that stop with it, each with the version that its author has read. */
  readonly keys: readonly { readonly keyHash: string; readonly seen: number }[]
  readonly tokens: readonly { readonly tokenHash: string; readonly seen: number }[]
  /** Unix ms. */
  readonly now: number
  readonly actor: string
  readonly audit: readonly AuditEntry[]
}

/** Returns the number of the change, or null if one of the rows has another version by now; nothing is written then. */
export async function removeMember(
  db: Kysely<Schema>,
  { member, seen, keys, tokens, now, actor, audit }: RemoveMemberInput,
): Promise<number | null> {
  // The directory is held: rows found unchanged here stay unchanged.
  return await tryChange(db, async version => {
    const readKeys = keys.map(({ keyHash, seen }) => [keyHash, seen] as const)
    const readTokens = tokens.map(({ tokenHash, seen }) => [tokenHash, seen] as const)
    const areAsSeen =
      (await haveVersions(db, 'gateway_keys', readKeys)) && (await haveVersions(db, 'log_tokens', readTokens))
    if (!areAsSeen || !(await changeNumbered(db, 'members', member, version, seen))) return false
    const blocked = { blocked: 1, updated_at: now, updated_by: actor }
    for (const { keyHash: key_hash } of keys)
      await changeNumbered(db, 'gateway_keys', { key_hash, ...blocked }, version)
    for (const { tokenHash: token_hash } of tokens)
      await changeNumbered(db, 'log_tokens', { token_hash, revoked_at: now }, version)
    await appendAudit(db, audit)
    return true
  })
}

/** True if another member of the team has the name or the address. */
export async function isTaken(db: Kysely<Schema>, member: MemberRow): Promise<boolean> {
  const { member_id, team_id, name_key, email } = member
  const found = await db
    .selectFrom('members')
    .select('member_id')
    .where('team_id', '=', team_id)
    .where('removed_at', 'is', null)
    .where('member_id', '!=', member_id)
    .where(where =>
      where.or([where('name_key', '=', name_key), ...(email === null ? [] : [where('email', '=', email)])]),
    )
    .executeTakeFirst()
  return found !== undefined
}
