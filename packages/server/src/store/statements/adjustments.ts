// Writes corrections of spend and grants on top of budgets: ledger rows. A total is never edited without one.
import { type Kysely, sql } from 'kysely'
import { refundOf } from '../../ledger/refund.ts'
import { dialectOf } from '../dialect.ts'
import { splitEvenly } from '../hot-statement.ts'
import type { AdjustmentsTable } from '../schema/ledger.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { moveTotals, toTotalRows } from './charges.ts'
import { countCorrection } from './count-charges.ts'
import { tryChange } from './directory-version.ts'
import { haveVersions } from './numbered-rows.ts'

/** A row that corrects spend; the other kind is a grant. */
export type Correction = AdjustmentsTable & { readonly kind: 'refund' | 'adjust' }

export type AdjustmentInput = {
  readonly adjustment: Correction
  readonly audit: AuditEntry
  /** The slot of the process: its rows of `totals` are changed. */
  readonly slot: number
  /** The rest of the call's charge when the correction was calculated; null if it may have changed since. */
  readonly seenLeft: number | null
}

/**
 * `known`: a row with that id was written before. `outdated`: the rest of the call's charge is not what was seen. `too_much`: less than
 * nothing would be spent, or more would be given back than the call has cost. Nothing is written in these cases.
 */
export type AdjustmentOutcome = 'written' | 'known' | 'outdated' | 'too_much'

/**
 * One transaction: the row, its audit row, and the amounts that it changes: the totals of team, key, key with model and event, and the sums
 * that reports are read from, as charges do.
 */
export async function writeAdjustment(
  db: Kysely<Schema>,
  { adjustment, audit, slot, seenLeft }: AdjustmentInput,
): Promise<AdjustmentOutcome> {
  const { team_id: teamId, adjustment_id: adjustmentId, call_id: callId } = adjustment
  await holdTeam(db, teamId)
  if (await hasAdjustment(db, { teamId, adjustmentId })) return 'known'
  if (seenLeft !== null && callId !== null && (await readCostOf(db, teamId, callId)) !== seenLeft)
    return 'outdated'
  if (await takesTooMuch(db, adjustment)) return 'too_much'
  await moveTotals(db, toTotalRows(adjustment, slot))
  await countCorrection(db, adjustment)
  await db.insertInto('adjustments').values(adjustment).execute()
  await appendAudit(db, [audit])
  return 'written'
}

/** True if the team has a row with that id: a grant, a refund or another correction. */
export async function hasAdjustment(
  db: Kysely<Schema>,
  { teamId, adjustmentId }: { readonly teamId: string; readonly adjustmentId: string },
): Promise<boolean> {
  const known = await db
    .selectFrom('adjustments')
    .select('adjustment_id')
    .where('team_id', '=', teamId)
    .where('adjustment_id', '=', adjustmentId)
    .executeTakeFirst()
  return known !== undefined
}

export type GrantTeamsInput = {
  /**
   * At most one for each team; `seen`: the version of the team that `granted` was calculated from; `granted` is then the whole amount of
   * its period.
   */
  readonly grants: readonly {
    readonly adjustment: AdjustmentsTable
    readonly granted: number
    readonly seen: number
  }[]
  readonly audit: readonly AuditEntry[]
}

/** `known`: that team has a row with that id; `outdated`: a team no longer exists or has another version by now. Nothing is written then. */
export type GrantTeamsOutcome =
  | { readonly kind: 'written'; readonly version: number }
  | { readonly kind: 'known'; readonly teamId: string }
  | { readonly kind: 'outdated' }

/**
 * Grants in one transaction under one number: all of them or none. A grant changes `granted_nano` of its team, in the period `team_period`;
 * grants of an earlier period end then.
 */
export async function grantTeams(
  db: Kysely<Schema>,
  { grants, audit }: GrantTeamsInput,
): Promise<GrantTeamsOutcome> {
  const ids = grants.map(({ adjustment }) => adjustment.team_id)
  await holdAllTeams(db)
  let refusal: Exclude<GrantTeamsOutcome, { kind: 'written' }> = { kind: 'outdated' }
  const version = await tryChange(db, async next => {
    const read = grants.map(({ adjustment, seen }) => [adjustment.team_id, seen] as const)
    if (!(await haveVersions(db, 'teams', read))) return false
    const known = await db
      .selectFrom('adjustments')
      .select('team_id')
      .where('team_id', 'in', ids)
      .where('adjustment_id', 'in', [...new Set(grants.map(({ adjustment }) => adjustment.adjustment_id))])
      .orderBy('team_id')
      .executeTakeFirst()
    if (known !== undefined) {
      refusal = { kind: 'known', teamId: known.team_id }
      return false
    }
    for (const { adjustment, granted } of grants)
      await db
        .updateTable('teams')
        .set({ granted_nano: granted, granted_period: adjustment.team_period, version: next })
        .where('team_id', '=', adjustment.team_id)
        .execute()
    for (const some of splitEvenly(grants))
      await db
        .insertInto('adjustments')
        .values(some.map(({ adjustment }) => adjustment))
        .execute()
    for (const some of splitEvenly(audit)) await appendAudit(db, some)
    return true
  })
  return version === null ? refusal : { kind: 'written', version }
}

/** Adjustments of a team come one after another: each sees the rest that the ones before it have left. SQLite has one writer. */
async function holdTeam(db: Kysely<Schema>, teamId: string): Promise<void> {
  if (dialectOf(db) === 'postgres')
    await sql`select pg_advisory_xact_lock_shared(hashtextextended(${everyTeam}, 0)),
      pg_advisory_xact_lock(hashtextextended(${`adjustments of ${teamId}`}, 0))`.execute(db)
}

/** One lock for all: PostgreSQL has room for some 6,000 with its usual settings, and there may be more teams. */
async function holdAllTeams(db: Kysely<Schema>): Promise<void> {
  if (dialectOf(db) === 'postgres')
    await sql`select pg_advisory_xact_lock(hashtextextended(${everyTeam}, 0))`.execute(db)
}

const everyTeam = 'adjustments of every team'

async function takesTooMuch(db: Kysely<Schema>, adjustment: AdjustmentsTable): Promise<boolean> {
  const { team_id, key_hash, call_id, amount_nano, team_period, key_period } = adjustment
  if (amount_nano >= 0) return false
  if (call_id !== null) return (await readCostOf(db, team_id, call_id)) + amount_nano < 0
  if ((await readSpent(db, team_id, `team:${team_id}`, team_period)) + amount_nano < 0) return true
  return key_hash !== null && (await readSpent(db, team_id, `key:${key_hash}`, key_period)) + amount_nano < 0
}

/** The rest of a call's charge after its refunds. */
async function readCostOf(db: Kysely<Schema>, teamId: string, callId: string): Promise<number> {
  const { cost } = await db
    .selectFrom('charges')
    .select(({ fn }) => fn.sum<number | null>('cost_nano').as('cost'))
    .where('team_id', '=', teamId)
    .where('call_id', 'in', [callId, refundOf(callId)])
    .executeTakeFirstOrThrow()
  const { amount } = await db
    .selectFrom('adjustments')
    .select(({ fn }) => fn.sum<number | null>('amount_nano').as('amount'))
    .where('team_id', '=', teamId)
    .where('call_id', '=', callId)
    .executeTakeFirstOrThrow()
  return (cost ?? 0) + (amount ?? 0)
}

async function readSpent(
  db: Kysely<Schema>,
  teamId: string,
  owner: string,
  periodStart: number,
): Promise<number> {
  const { spent } = await db
    .selectFrom('totals')
    .select(({ fn }) => fn.sum<number | null>('spent_nano').as('spent'))
    .where('team_id', '=', teamId)
    .where('owner', '=', owner)
    .where('period_start', '=', periodStart)
    .executeTakeFirstOrThrow()
  return spent ?? 0
}

export type CorrectableCall = {
  readonly callId: string
  readonly teamId: string
  readonly keyHash: string
  readonly modelId: string
  /** Unix ms. */
  readonly admittedAt: number
  /** The call's charge. */
  readonly charged: number
  /** The rest after all refunds and corrections. */
  readonly left: number
}

/** `select … from charges where call_id = ?`, for any team; null if nothing was charged under that id. */
export async function readCorrectableCall(
  db: Kysely<Schema>,
  { callId }: { readonly callId: string },
): Promise<CorrectableCall | null> {
  // PostgreSQL refuses a text with NUL, which no id has.
  if (callId.includes('\0')) return null
  const row = await db
    .selectFrom('charges')
    .innerJoin('teams', 'teams.team_id', 'charges.team_id')
    .select(['charges.team_id', 'charges.key_hash', 'charges.model_id', 'charges.cost_nano'])
    .select('charges.admitted_at')
    .where('charges.call_id', '=', callId)
    .executeTakeFirst()
  if (row === undefined || callId.endsWith(refundOf(''))) return null
  return {
    callId,
    teamId: row.team_id,
    keyHash: row.key_hash,
    modelId: row.model_id,
    admittedAt: row.admitted_at,
    charged: row.cost_nano,
    left: await readCostOf(db, row.team_id, callId),
  }
}

export type CallCorrection = {
  readonly teamId: string
  readonly callId: string
  readonly adjustmentId: string
  readonly kind: 'refund' | 'adjust'
  /** More, or (negative) less, than was charged, in nano-dollars. */
  readonly amount: number
  /** Unix ms. */
  readonly at: number
  readonly reason: string
}

/** Refunds and corrections of these calls, by organisers and automatic ones; oldest first. */
export async function readCallCorrections(
  db: Kysely<Schema>,
  { calls }: { readonly calls: readonly CorrectedRef[] },
): Promise<CallCorrection[]> {
  if (calls.length === 0) return []
  const corrections = [...(await readAutomaticRefunds(db, calls)), ...(await readAdjustments(db, calls))]
  return corrections.toSorted((left, right) => left.at - right.at)
}

/** `select … from charges left join undelivered_answers … where team_id in (…) and call_id in (…)`, by the primary keys of both. */
async function readAutomaticRefunds(
  db: Kysely<Schema>,
  calls: readonly CorrectedRef[],
): Promise<CallCorrection[]> {
  const callIds = new Map(calls.map(({ callId }) => [refundOf(callId), callId]))
  const rows = await db
    .selectFrom('charges')
    .select(['team_id', 'call_id', 'cost_nano', 'settled_at'])
    .where('team_id', 'in', [...new Set(calls.map(({ teamId }) => teamId))])
    .where('call_id', 'in', [...callIds.keys()])
    .execute()
  if (rows.length === 0) return []
  const undelivered = await db
    .selectFrom('undelivered_answers')
    .select('call_id')
    .where('team_id', 'in', [...new Set(rows.map(({ team_id }) => team_id))])
    .where('call_id', 'in', [...callIds.values()])
    .execute()
  const withheld = new Set(undelivered.map(({ call_id }) => call_id))
  return rows.map(({ team_id, call_id, cost_nano, settled_at }) => {
    const callId = callIds.get(call_id) ?? call_id
    const reason = withheld.has(callId) ? notDelivered : notMade
    return {
      ...{ teamId: team_id, callId, adjustmentId: call_id, kind: 'refund' },
      amount: cost_nano,
      at: settled_at,
      reason,
    }
  })
}

const notDelivered = 'The answer could not be delivered, because its charge could not be recorded in time.'
const notMade = 'The order failed.'

type CorrectedRef = { readonly teamId: string; readonly callId: string }

/** `select … from adjustments where team_id in (…) and call_id in (…)`, by the index of both; oldest first. */
async function readAdjustments(
  db: Kysely<Schema>,
  calls: readonly CorrectedRef[],
): Promise<CallCorrection[]> {
  return await db
    .selectFrom('adjustments')
    .select(['team_id as teamId', 'call_id as callId', 'adjustment_id as adjustmentId'])
    .select(['kind', 'amount_nano as amount', 'at', 'reason'])
    .where('team_id', 'in', [...new Set(calls.map(({ teamId }) => teamId))])
    .where(
      'call_id',
      'in',
      calls.map(({ callId }) => callId),
    )
    .where('kind', '!=', 'grant')
    .orderBy('at')
    .orderBy('adjustment_id')
    .$narrowType<{ callId: string; kind: Correction['kind'] }>()
    .execute()
}

export type CorrectionsPageInput = {
  readonly teamId: string
  readonly kinds: readonly AdjustmentsTable['kind'][]
  /** The position in time to continue before; null: from the newest on. */
  readonly before: { readonly at: number; readonly id: string } | null
  readonly limit: number
}

/** `select … from adjustments where team_id = …`, by the team's part of the primary key; newest first. */
export async function readCorrectionsPage(
  db: Kysely<Schema>,
  { teamId, kinds, before, limit }: CorrectionsPageInput,
): Promise<AdjustmentsTable[]> {
  let query = db
    .selectFrom('adjustments')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('kind', 'in', [...kinds])
  if (before !== null) query = query.where(sql<boolean>`(at, adjustment_id) < (${before.at}, ${before.id})`)
  return query.orderBy('at', 'desc').orderBy('adjustment_id', 'desc').limit(limit).execute()
}
