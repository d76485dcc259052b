// Reads the values that the proof of the totals compares: the charges of a team in slices, and its newest ones together with all its totals.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** A key's spend on a model. */
export type KeyModelCost = { readonly keyHash: string; readonly modelId: string; readonly cost: number }

export type LedgerSlice = {
  readonly costs: readonly KeyModelCost[]
  readonly rows: number
  /** The start of the next slice; null if this was the last. */
  readonly nextAfter: string | null
}

type SliceInput = {
  readonly teamId: string
  /** Only charges with a higher id. */
  readonly afterId: string
  /** Only charges with a lower id. */
  readonly endId: string
  readonly limit: number
}

/** `select …, sum(cost_nano) from (select … from charges where team_id = ? and call_id > ? and call_id < ? order by call_id limit ?) group by …` */
export async function sumChargeSlice(
  db: Kysely<Schema>,
  { teamId, afterId, endId, limit }: SliceInput,
): Promise<LedgerSlice> {
  const slice = db
    .selectFrom('charges')
    .select(['call_id', 'key_hash', 'model_id', 'cost_nano'])
    .where('team_id', '=', teamId)
    .where('call_id', '>', afterId)
    .where('call_id', '<', endId)
    .orderBy('call_id')
    .limit(limit)
    .as('slice')
  const found = await db
    .selectFrom(slice)
    .select(({ fn }) => [
      'key_hash',
      'model_id',
      fn.sum<number>('cost_nano').as('cost'),
      fn.countAll<number>().as('rows'),
      fn.max('call_id').as('last'),
    ])
    .groupBy(['key_hash', 'model_id'])
    .execute()
  const rows = found.reduce((sum, row) => sum + row.rows, 0)
  const last =
    found
      .map(row => row.last)
      .sort()
      .at(-1) ?? afterId
  return {
    costs: found.map(row => ({ keyHash: row.key_hash, modelId: row.model_id, cost: row.cost })),
    rows,
    nextAfter: rows < limit ? null : last,
  }
}

export type Adjusted = {
  readonly keyHash: string | null
  readonly modelId: string | null
  readonly cost: number
}

export type LedgerEnd = {
  /** Charges from the id on. */
  readonly charges: readonly KeyModelCost[]
  readonly rows: number
  /** Refunds and corrections; those of the team have null as key and model. */
  readonly adjustments: readonly Adjusted[]
  /** Owner → its lifetime spend. */
  readonly totals: ReadonlyMap<string, number>
  /** The rows that reports are read from. */
  readonly buckets: readonly KeyModelCost[]
}

/** Everything in one statement, and so as of one moment: charges update totals and sums in their own transaction. */
export async function readLedgerEnd(
  db: Kysely<Schema>,
  { teamId, fromId }: { readonly teamId: string; readonly fromId: string },
): Promise<LedgerEnd> {
  const { rows: found } = await sql<{
    kind: 'charges' | 'adjustments' | 'totals' | 'buckets'
    name: string | null
    model: string | null
    cost: number
    rows: number
  }>`
    select 'charges' as kind, key_hash as name, model_id as model, sum(cost_nano) as cost, count(*) as rows
      from charges where team_id = ${teamId} and call_id >= ${fromId} group by key_hash, model_id
    union all
    select 'adjustments', key_hash, model_id, sum(amount_nano), count(*)
      from adjustments where team_id = ${teamId} and kind <> 'grant' group by key_hash, model_id
    union all
    select 'totals', owner, '', sum(lifetime_nano), 0 from totals where team_id = ${teamId} group by owner
    union all
    select 'buckets', key_hash, model_id, sum(cost_nano), 0 from spend_buckets
      where team_id = ${teamId} and code = '' group by key_hash, model_id`.execute(db)
  const costs = (kind: string) =>
    found
      .filter(row => row.kind === kind)
      .map(row => ({ keyHash: row.name ?? '', modelId: row.model ?? '', cost: row.cost }))
  return {
    charges: costs('charges'),
    rows: found.reduce((sum, row) => sum + row.rows, 0),
    adjustments: found
      .filter(({ kind }) => kind === 'adjustments')
      .map(row => ({ keyHash: row.name, modelId: row.model, cost: row.cost })),
    totals: new Map(found.filter(({ kind }) => kind === 'totals').map(row => [row.name ?? '', row.cost])),
    buckets: costs('buckets'),
  }
}

/** Teams that have a total or a charge, also if one is missing: `select team_id from totals union select team_id from charges`. */
export async function listSpendingTeams(db: Kysely<Schema>): Promise<string[]> {
  const rows = await db
    .selectFrom('totals')
    .select('team_id')
    .union(db.selectFrom('spend_buckets').select('team_id').where('code', '=', ''))
    .union(db.selectFrom('teams').select('team_id'))
    .execute()
  return rows
    .map(({ team_id }) => team_id)
    .filter(teamId => teamId !== '')
    .sort()
}

/** The lifetime spend of all teams together, by the total of the event and by the totals of the teams, as of one moment. */
export async function readEventTotal(
  db: Kysely<Schema>,
): Promise<{ readonly event: number; readonly teams: number }> {
  const { rows } = await sql<{ event: number | null; teams: number | null }>`select
    (select sum(lifetime_nano) from totals where team_id = '' and owner = 'event') as event,
    (select sum(lifetime_nano) from totals where owner = 'team:' || team_id) as teams`.execute(db)
  return { event: rows[0]?.event ?? 0, teams: rows[0]?.teams ?? 0 }
}
