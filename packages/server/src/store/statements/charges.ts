// Writes charges and updates the totals that they belong to: the only place that writes money to disk.
import { type Insertable, type Kysely, sql } from 'kysely'
import type { Charge } from '../../ledger/charge.ts'
import { createHotInsert } from '../hot-statement.ts'
import type { AdjustmentsTable, ChargesTable, TotalsTable } from '../schema/ledger.ts'
import type { Schema } from '../schema/schema.ts'
import { countCharges } from './count-charges.ts'
import { cutNote, insertNote, writeNote } from './file-calls.ts'

/**
 * Inserts the charges that are not there yet and updates totals only by those, so an ambiguous commit can be repeated safely. `insert into
 * charges … on conflict do nothing`, then an upsert of the distinct owners and periods in the rows of `slot`.
 */
export async function settleCharges(
  db: Kysely<Schema>,
  slot: number,
  charges: readonly Charge[],
  note: string | null = writeNote(charges),
): Promise<void> {
  const sorted = sortDistinct(charges)
  const pairs = sorted.map(charge => ({ charge, row: toChargeRow(charge) }))
  const written = new Set(
    await insertCharges(
      db,
      pairs.map(({ row }) => row),
    ),
  )
  const fresh = pairs.filter(({ row }) => written.has(row)).map(({ charge }) => charge)
  const left = note === null || fresh.length === charges.length ? note : cutNote(note, fresh)
  if (left !== null) await insertNote(db, left)
  await countCharges(db, fresh)
  await moveTotals(db, sumByOwner(fresh, slot))
}

/** A call that is in a batch twice, as when a retry meets its first attempt, is one charge. */
export function sortDistinct(charges: readonly Charge[]): readonly Charge[] {
  if (charges.length === 1) return charges
  const distinct = new Map(charges.map(charge => [`${charge.teamId} ${charge.callId}`, charge]))
  return [...distinct.values()].sort((left, right) => (left.callId < right.callId ? -1 : 1))
}

export function toChargeRow(charge: Charge): ChargesTable {
  return {
    call_id: charge.callId,
    team_id: charge.teamId,
    key_hash: charge.keyHash,
    model_id: charge.modelId,
    endpoint: charge.endpoint,
    units: JSON.stringify(charge.units),
    cost_nano: charge.cost,
    outcome: charge.outcome,
    flag: charge.flag,
    reported: charge.reported,
    admitted_at: charge.admittedAt,
    settled_at: charge.settledAt,
    duration_ms: charge.durationMs,
  }
}

const insertCharges = createHotInsert<ChargesTable>((db, rows) =>
  db
    .insertInto('charges')
    .values(rows)
    .onConflict(conflict => conflict.doNothing()),
)

type TotalRow = Insertable<TotalsTable>

/** The amounts that the charges add to each owner's total. If an owner's period has rolled meanwhile, its rows are in the order of the periods. */
function sumByOwner(charges: readonly Charge[], slot: number): TotalRow[] {
  const sums = new Map<string, TotalRow>()
  const add = (team_id: string, owner: string, period_start: number, cost: number) => {
    const name = `${period_start} ${team_id} ${owner}`
    const known = sums.get(name)
    if (known === undefined)
      sums.set(name, {
        team_id,
        owner,
        slot,
        period_start,
        spent_nano: cost,
        lifetime_nano: cost,
        version: 1,
      })
    else {
      known.spent_nano += cost
      known.lifetime_nano += cost
    }
  }
  for (const { teamId, keyHash, modelId, budgetModelId = modelId, periods, cost } of charges) {
    add('', 'event', 0, cost)
    add(teamId, `team:${teamId}`, periods.team, cost)
    add(teamId, `key:${keyHash}`, periods.key, cost)
    add(teamId, `key_model:${keyHash}:${budgetModelId}`, periods.key, cost)
  }
  return [...sums.values()].sort((left, right) => left.period_start - right.period_start)
}

/** The amount that a correction without a charge adds to the totals, in the order in which charges update them. */
export function toTotalRows(
  { team_id, key_hash, model_id, amount_nano, team_period, key_period }: AdjustmentsTable,
  slot: number,
): TotalRow[] {
  const row = (teamId: string, owner: string, period_start: number): TotalRow => ({
    team_id: teamId,
    owner,
    slot,
    period_start,
    spent_nano: amount_nano,
    lifetime_nano: amount_nano,
    version: 1,
  })
  const rows = [row('', 'event', 0)]
  if (key_hash !== null) rows.push(row(team_id, `key:${key_hash}`, key_period))
  if (key_hash !== null && model_id !== null)
    rows.push(row(team_id, `key_model:${key_hash}:${model_id}`, key_period))
  return [...rows, row(team_id, `team:${team_id}`, team_period)]
}

/** A charge in an earlier period than the owner's current one changes only the lifetime total. */
export const moveTotals = createHotInsert<TotalRow>((db, rows) =>
  db
    .insertInto('totals')
    .values(rows)
    .onConflict(conflict =>
      conflict.columns(['team_id', 'owner', 'slot']).doUpdateSet({
        spent_nano: sql<number>`case when excluded.period_start = totals.period_start then totals.spent_nano + excluded.spent_nano
          when excluded.period_start > totals.period_start then excluded.spent_nano else totals.spent_nano end`,
        returned_nano: sql<number>`case when excluded.period_start > totals.period_start then 0 else totals.returned_nano end`,
        period_start: sql<number>`case when excluded.period_start > totals.period_start then excluded.period_start else totals.period_start end`,
        lifetime_nano: sql<number>`totals.lifetime_nano + excluded.lifetime_nano`,
        version: sql<number>`totals.version + 1`,
      }),
    ),
)

/** Spend of one owner: `event` (all teams; its `teamId` is empty), `team:<id>`, `key:<hash>` or `key_model:<hash>:<model>`. */
export type OwnerSpend = {
  readonly teamId: string
  readonly owner: string
  /** Start of the period that `spent` belongs to (Unix ms). */
  readonly periodStart: number
  /** Nano-dollars. */
  readonly spent: number
  readonly lifetime: number
}

/**
 * All totals, to fill the limits at start. An owner has a row for each slot: its spend is the sum of the rows that are in its latest
 * period.
 */
export async function readTotals(db: Kysely<Schema>): Promise<OwnerSpend[]> {
  return await db
    .selectFrom('totals')
    .innerJoin(
      db
        .selectFrom('totals')
        .select(total => ['team_id', 'owner', total.fn.max('period_start').as('period_start')])
        .groupBy(['team_id', 'owner'])
        .as('latest'),
      join => join.onRef('latest.team_id', '=', 'totals.team_id').onRef('latest.owner', '=', 'totals.owner'),
    )
    .select(({ fn }) => [
      'totals.team_id as teamId',
      'totals.owner',
      'latest.period_start as periodStart',
      sql<number>`sum(case when totals.period_start = latest.period_start then totals.spent_nano else 0 end)`.as(
        'spent',
      ),
      fn.sum<number>('totals.lifetime_nano').as('lifetime'),
    ])
    .groupBy(['totals.team_id', 'totals.owner', 'latest.period_start'])
    .execute()
}

/** Charge counts and sums of a team: `select count(*), sum(cost_nano) from charges where team_id = ?`. */
export async function sumCharges(
  db: Kysely<Schema>,
  input: { teamId: string },
): Promise<{ count: number; costNano: number }> {
  const row = await db
    .selectFrom('charges')
    .select(eb => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number | null>('cost_nano').as('cost')])
    .where('team_id', '=', input.teamId)
    .executeTakeFirst()
  return { count: row?.count ?? 0, costNano: row?.cost ?? 0 }
}
