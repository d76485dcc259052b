// Claims and their tickets on disk. They are read when they are used, so only the records that they create (members, keys, tokens) are numbered.
import { type Kysely, sql } from 'kysely'
import type { ClaimsTable, JoinTicketsTable } from '../schema/directory.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { awaitDirectoryChanges, tryChange } from './directory-version.ts'
import type { KeyRow } from './gateway-keys.ts'
import type { LogTokenRow } from './log-tokens.ts'
import { isTaken, type MemberRow } from './members.ts'
import { changeNumbered, insertNumbered } from './numbered-rows.ts'

export type ClaimRow = ClaimsTable
export type TicketRow = JoinTicketsTable

/** By lower-case hex SHA-256 of the code; ended ones are found too. */
export async function findClaimByCode(
  db: Kysely<Schema>,
  { codeHash }: { readonly codeHash: string },
): Promise<ClaimRow | null> {
  return (
    (await db.selectFrom('claims').selectAll().where('code_hash', '=', codeHash).executeTakeFirst()) ?? null
  )
}

export async function findClaim(
  db: Kysely<Schema>,
  { claimId }: { readonly claimId: string },
): Promise<ClaimRow | null> {
  // PostgreSQL refuses a text with NUL, which no id has.
  if (claimId.includes('\0')) return null
  return (
    (await db.selectFrom('claims').selectAll().where('claim_id', '=', claimId).executeTakeFirst()) ?? null
  )
}

export async function findTicket(
  db: Kysely<Schema>,
  { ticketHash }: { readonly ticketHash: string },
): Promise<TicketRow | null> {
  const found = db.selectFrom('join_tickets').selectAll().where('ticket_hash', '=', ticketHash)
  return (await found.executeTakeFirst()) ?? null
}

export type ListClaimsInput = {
  readonly teamId: string | null
  /** Only those that work at this time (Unix ms); null for all. */
  readonly workingAt: number | null
  /** The last claim of the previous page. */
  readonly after: Pick<ClaimRow, 'created_at' | 'claim_id'> | null
  readonly limit: number
}

/** `select * from claims … order by created_at desc, claim_id desc`. */
export async function listClaims(
  db: Kysely<Schema>,
  { teamId, workingAt, after, limit }: ListClaimsInput,
): Promise<readonly ClaimRow[]> {
  let query = db.selectFrom('claims').selectAll()
  if (teamId !== null) query = query.where('team_id', '=', teamId)
  if (workingAt !== null) query = query.where('ended_at', 'is', null).where('expires_at', '>', workingAt)
  if (after !== null)
    query = query.where(sql<boolean>`(created_at, claim_id) < (${after.created_at}, ${after.claim_id})`)
  return await query.orderBy('created_at', 'desc').orderBy('claim_id', 'desc').limit(limit).execute()
}

/** The state that a plan of codes is based on. The action is made only if all of it is unchanged. */
export type ForeseenTeams = {
  /** The people that a code would let in. */
  readonly freeMembers: readonly { readonly teamId: string; readonly count: number }[]
  /** These are all teams that are not blocked and have no working code. */
  readonly isEveryTeam: boolean
}

export type InsertClaimsInput = {
  readonly claims: readonly ClaimRow[]
  /** Null if no preview was shown. */
  readonly foreseen: ForeseenTeams | null
  readonly now: number
  readonly audit: readonly AuditEntry[]
}

/** `taken`: the teams that already have a working code. `outdated`: the result would differ from the preview. */
export type ClaimsOutcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'outdated' }
  | { readonly kind: 'taken'; readonly teamIds: readonly string[] }

/** All or none. The directory is held, so no other process creates a code, a member or a team in between. */
export async function insertClaims(
  db: Kysely<Schema>,
  { claims, foreseen, now, audit }: InsertClaimsInput,
): Promise<ClaimsOutcome> {
  await awaitDirectoryChanges(db, null)
  const working = await listClaims(db, { teamId: null, workingAt: now, after: null, limit: 100_000 })
  const having = new Set(working.map(({ team_id }) => team_id))
  const taken = claims.map(({ team_id }) => team_id).filter(team => having.has(team))
  if (foreseen !== null && (taken.length > 0 || !(await isStillSo(db, foreseen, having))))
    return { kind: 'outdated' }
  if (taken.length > 0) return { kind: 'taken', teamIds: taken }
  for (const claim of claims) await db.insertInto('claims').values(claim).execute()
  await appendAudit(db, audit)
  return { kind: 'written' }
}

/** `having`: teams with a working code. */
async function isStillSo(
  db: Kysely<Schema>,
  { freeMembers, isEveryTeam }: ForeseenTeams,
  having: ReadonlySet<string>,
): Promise<boolean> {
  const counts = await countFreeMembers(db)
  if (freeMembers.some(({ teamId, count }) => (counts.get(teamId) ?? 0) !== count)) return false
  const teams = await db.selectFrom('teams').select(['team_id', 'blocked']).execute()
  const planned = new Set(freeMembers.map(({ teamId }) => teamId))
  // A request that names teams may name blocked ones.
  if (!isEveryTeam) return teams.filter(({ team_id }) => planned.has(team_id)).length === planned.size
  const open = teams.filter(({ team_id, blocked }) => blocked !== 1 && !having.has(team_id))
  return open.length === planned.size && open.every(({ team_id }) => planned.has(team_id))
}

/** `select team_id, count(*) from members where claimed_at is null and removed_at is null group by team_id`. */
async function countFreeMembers(db: Kysely<Schema>): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('members')
    .select(select => ['team_id', select.fn.countAll<number>().as('members')])
    .where('claimed_at', 'is', null)
    .where('removed_at', 'is', null)
    .groupBy('team_id')
    .execute()
  return new Map(rows.map(({ team_id, members }) => [team_id, members]))
}

export type EndClaimInput = {
  readonly claimId: string
  readonly reason: 'renewed' | 'revoked'
  readonly now: number
  /** The claim that replaces it. */
  readonly next: ClaimRow | null
  /** As it was read: seats taken since must not come back with the next one. Null if that does not matter. */
  readonly seatsLeft: number | null
  /** Null if no preview was shown. */
  readonly foreseen: ForeseenTeams | null
  readonly audit: AuditEntry
}

/** `ended`: it was ended before. `outdated`: the result would differ from the preview. Nothing is written then. */
export async function endClaim(
  db: Kysely<Schema>,
  { claimId, reason, now, next, seatsLeft, foreseen, audit }: EndClaimInput,
): Promise<'written' | 'ended' | 'outdated'> {
  // Seats are only taken while the directory is held.
  if (next !== null) await awaitDirectoryChanges(db, null)
  const claim = await findClaim(db, { claimId })
  if (claim === null || claim.ended_at !== null) return 'ended'
  if (seatsLeft !== null && claim.seats_left !== seatsLeft) return 'outdated'
  if (foreseen !== null && !(await isStillSo(db, foreseen, new Set()))) return 'outdated'
  const { numUpdatedRows } = await db
    .updateTable('claims')
    .set({ ended_at: now, end_reason: reason })
    .where('claim_id', '=', claimId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return 'ended'
  if (next !== null) await db.insertInto('claims').values(next).execute()
  await appendAudit(db, [audit])
  return 'written'
}

/** For one claim at a time. */
const maxTickets = 200
/** Expired tickets are kept for a while, so that late users learn that the line has expired, not that it does not exist. */
const keptMs = 86_400_000

/** Returns false if the claim has too many tickets that still work. Old ones are deleted. */
export async function insertTicket(
  db: Kysely<Schema>,
  { ticket }: { readonly ticket: TicketRow },
): Promise<boolean> {
  await db
    .deleteFrom('join_tickets')
    .where('claim_id', '=', ticket.claim_id)
    .where('expires_at', '<=', ticket.created_at - keptMs)
    .execute()
  const { tickets } = await db
    .selectFrom('join_tickets')
    .select(select => select.fn.countAll<number>().as('tickets'))
    .where('claim_id', '=', ticket.claim_id)
    .where('expires_at', '>', ticket.created_at)
    .executeTakeFirstOrThrow()
  if (tickets >= maxTickets) return false
  await db.insertInto('join_tickets').values(ticket).execute()
  return true
}

export type TakeSeatInput = {
  readonly claimId: string
  /** Null if the key is shown on the page. */
  readonly ticket: { readonly ticketHash: string; readonly laptopHash: string } | null
  readonly member: MemberRow
  /** The version that the change was made from; null for a person who was not on the list. */
  readonly seen: number | null
  readonly key: KeyRow
  readonly logToken: LogTokenRow | null
  readonly now: number
  readonly audit: readonly AuditEntry[]
}

/**
 * One seat taken: its member, a key and a log token, the claim's count and the ticket in one step. Returns the number of the change, or
 * null if the seat, the ticket or the claim has changed since it was read; nothing is written then.
 */
export async function takeSeat(db: Kysely<Schema>, input: TakeSeatInput): Promise<number | null> {
  const { claimId, ticket, member, seen, key, logToken, now, audit } = input
  // The directory is held, so the results of these lookups stay valid.
  return await tryChange(db, async version => {
    const claim = await findClaim(db, { claimId })
    if (claim === null || claim.end_reason === 'revoked') return false
    if (ticket !== null) {
      const row = await findTicket(db, { ticketHash: ticket.ticketHash })
      if (row === null || row.used_at !== null) return false
    }
    if (seen === null) {
      if (claim.seats_left <= 0 || (await isTaken(db, member))) return false
      await insertNumbered(db, 'members', member, version)
    } else if (!(await changeNumbered(db, 'members', member, version, seen))) return false
    await insertNumbered(db, 'gateway_keys', key, version)
    if (logToken !== null) await insertNumbered(db, 'log_tokens', logToken, version)
    await db
      .updateTable('claims')
      .set({
        uses: claim.uses + 1,
        last_used_at: now,
        ...(seen === null ? { seats_left: claim.seats_left - 1 } : {}),
      })
      .where('claim_id', '=', claimId)
      .execute()
    if (ticket !== null)
      await db
        .updateTable('join_tickets')
        .set({ used_at: now, laptop_hash: ticket.laptopHash, key_hash: key.key_hash })
        .where('ticket_hash', '=', ticket.ticketHash)
        .execute()
    await appendAudit(db, audit)
    return true
  })
}

/**
 * `update join_tickets set signed_in_at = ? where ticket_hash = ? and signed_in_at is null … returning key_hash`. Returns the key that the
 * ticket has created; null if it has created none, is too old, or has signed in before.
 */
export async function signInByTicket(
  db: Kysely<Schema>,
  { ticketHash, now }: { readonly ticketHash: string; readonly now: number },
): Promise<string | null> {
  const row = await db
    .updateTable('join_tickets')
    .set({ signed_in_at: now })
    .where('ticket_hash', '=', ticketHash)
    .where('key_hash', 'is not', null)
    .where('signed_in_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('key_hash')
    .executeTakeFirst()
  return row?.key_hash ?? null
}
