// Sums of spend over any range of time: full buckets are read as stored, and the two ends from the calls themselves.
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { bucketMs } from '../schema/spend.ts'
import { firstIdOf } from './calls.ts'

const dimensions = ['bucket_start', 'team_id', 'key_hash', 'model_id', 'code'] as const
export type SpendDimension = (typeof dimensions)[number]

/** Filter for calls: null means no limit. Times in Unix ms, by which the ids of calls begin: at or after, and before. */
export type SpendFilter = {
  readonly from: number | null
  readonly until: number | null
  readonly teamId: string | null
  readonly keyHash: string | null
  readonly modelId: string | null
}

export type SumSpendInput = SpendFilter & { readonly by: readonly SpendDimension[] }

/** One for each combination of the requested dimensions; the others are null. */
export type SpendSum = {
  /** Unix ms: of the bucket. */
  readonly bucketStart: number | null
  readonly teamId: string | null
  readonly keyHash: string | null
  /** '' for refusals with an unknown model. */
  readonly modelId: string | null
  /** '' for charges. */
  readonly code: string | null
  readonly calls: number
  readonly refused: number
  /** Nano-dollars, including refunds and corrections. */
  readonly cost: number
}

type SumRow = Partial<Record<SpendDimension, string | number>> & {
  calls: number | null
  refused: number | null
  cost: number | null
}

/** Ends that cut a bucket are read from `charges` and `calls`: at most a few minutes of rows, regardless of the length of the range. */
export async function sumSpend(db: Kysely<Schema>, input: SumSpendInput): Promise<SpendSum[]> {
  const { whole, cuts } = splitRange(input.from, input.until)
  const parts = await Promise.all([sumBuckets(db, input, whole), ...cuts.map(cut => sumCut(db, input, cut))])
  const sums = new Map<string, SpendSum>()
  for (const row of parts.flat()) {
    const sum = toSum(row)
    const name = JSON.stringify([sum.bucketStart, sum.teamId, sum.keyHash, sum.modelId, sum.code])
    const known = sums.get(name) ?? { ...sum, calls: 0, refused: 0, cost: 0 }
    sums.set(name, {
      ...known,
      calls: known.calls + sum.calls,
      refused: known.refused + sum.refused,
      cost: known.cost + sum.cost,
    })
  }
  return [...sums.values()].filter(({ calls, refused, cost }) => calls !== 0 || refused !== 0 || cost !== 0)
}

export type Range = { readonly from: number; readonly until: number }

export type SplitRange = {
  readonly whole: { readonly from: number | null; readonly until: number | null }
  readonly cuts: readonly Range[]
}

/**
 * Full buckets, and the parts of buckets at both ends. An open end cuts nothing. All parts are added: each row counts once or not yet,
 * regardless of writes during the read.
 */
export function splitRange(from: number | null, until: number | null): SplitRange {
  if (from !== null && until !== null && floor(from) === floor(until))
    return { whole: { from: 0, until: 0 }, cuts: from < until ? [{ from, until }] : [] }
  const first = from === null || from === floor(from) ? from : floor(from) + bucketMs
  const last = until === null ? null : floor(until)
  const cuts: Range[] = []
  if (from !== null && first !== null && from < first) cuts.push({ from, until: first })
  if (until !== null && last !== null && last < until) cuts.push({ from: last, until })
  return { whole: { from: first, until: last }, cuts }
}

function floor(unixMs: number): number {
  return Math.floor(unixMs / bucketMs) * bucketMs
}

/** `select …, sum(calls), sum(cost_nano) from spend_buckets where bucket_start >= ? and bucket_start < ? [and …] group by …` */
async function sumBuckets(
  db: Kysely<Schema>,
  { teamId, keyHash, modelId, by }: SumSpendInput,
  whole: { readonly from: number | null; readonly until: number | null },
): Promise<SumRow[]> {
  let query = db
    .selectFrom('spend_buckets')
    .select([...by])
    .select([
      sql<number>`sum(case when code = '' then calls else 0 end)`.as('calls'),
      sql<number>`sum(case when code = '' then 0 else calls end)`.as('refused'),
      sql<number>`sum(cost_nano)`.as('cost'),
    ])
  if (whole.from !== null) query = query.where('bucket_start', '>=', whole.from)
  if (whole.until !== null) query = query.where('bucket_start', '<', whole.until)
  if (teamId !== null) query = query.where('team_id', '=', teamId)
  if (keyHash !== null) query = query.where('key_hash', '=', keyHash)
  if (modelId !== null) query = query.where('model_id', '=', modelId)
  const order = findOrder(db, by)
  if (order === null) return (await (by.length > 0 ? query.groupBy([...by]) : query).execute()) as SumRow[]
  const inOrder = query.groupBy([...order]).as('in_order')
  const summed = db
    .selectFrom(inOrder)
    .select([...by])
    .select(({ fn }) => [
      fn.sum<number>('calls').as('calls'),
      fn.sum<number>('refused').as('refused'),
      fn.sum<number>('cost').as('cost'),
    ])
  return (await summed.groupBy([...by]).execute()) as SumRow[]
}

/**
 * The beginning of the primary key to add up by first. SQLite adds up groups in the order of the rows as it reads them, and sorts all rows
 * for any others: for sums by team 290,000 buckets take 73 ms in two steps and 292 in one, for sums by key 154 and 395. Null if one step is
 * as good.
 */
function findOrder(db: Kysely<Schema>, by: readonly SpendDimension[]): readonly SpendDimension[] | null {
  if (dialectOf(db) !== 'sqlite' || by.includes('bucket_start')) return null
  if (by.includes('model_id') || by.includes('code')) return null
  const last = by.includes('key_hash') ? 'key_hash' : by.includes('team_id') ? 'team_id' : null
  return last === null ? null : dimensions.slice(0, dimensions.indexOf(last) + 1)
}

/** A part of one bucket. The bucket's row lists the teams with calls in it, so theirs are a few ranges of the primary key. */
async function sumCut(db: Kysely<Schema>, input: SumSpendInput, range: Range): Promise<SumRow[]> {
  const { teamId, keyHash, modelId, by } = input
  const bucketStart = Math.floor(range.from / bucketMs) * bucketMs
  let asked = db
    .selectFrom('spend_buckets')
    .select(({ fn }) => ['team_id', fn.max('code').as('code')])
    .where('bucket_start', '=', bucketStart)
  if (teamId !== null) asked = asked.where('team_id', '=', teamId)
  const found = await asked.groupBy('team_id').execute()
  const teams = found.map(({ team_id }) => team_id)
  if (teams.length === 0) return []
  const refusing = found.flatMap(({ team_id, code }) => (code === '' ? [] : [team_id]))
  const group = (charged: boolean) =>
    by.map(name => {
      if (name === 'bucket_start') return sql<number>`${sql.lit(bucketStart)}`.as(name)
      if (name === 'code')
        return (charged ? sql<string>`''` : sql<string>`coalesce(code, 'refused')`).as(name)
      if (name === 'model_id') return (charged ? sql<string>`model_id` : refusedModel).as(name)
      return sql<string>`${sql.ref(name)}`.as(name)
    })
  const positions = sql.join(by.map((_, index) => sql.lit(index + 1)))
  let charges = db
    .selectFrom('charges')
    .select(group(true))
    .select([
      sql<number>`sum(case when outcome <> 'refunded' then 1 else 0 end)`.as('calls'),
      sql<number>`0`.as('refused'),
      sql<number>`sum(cost_nano)`.as('cost'),
    ])
    .where('team_id', 'in', teams)
    .where('call_id', '>=', firstIdOf(range.from))
    .where('call_id', '<', firstIdOf(range.until))
  let refusals = db
    .selectFrom('calls')
    .select(group(false))
    .select([sql<number>`0`.as('calls'), sql<number>`sum(calls)`.as('refused'), sql<number>`0`.as('cost')])
    .where('team_id', 'in', refusing)
    .where('call_id', '>=', firstIdOf(range.from))
    .where('call_id', '<', firstIdOf(range.until))
    .where('outcome', '=', 'refused')
  let corrections = db
    .selectFrom('adjustments')
    .select(group(true))
    .select([
      sql<number>`0`.as('calls'),
      sql<number>`0`.as('refused'),
      sql<number>`sum(amount_nano)`.as('cost'),
    ])
    .where('team_id', 'in', teams)
    .where('call_id', '>=', firstIdOf(range.from))
    .where('call_id', '<', firstIdOf(range.until))
    .where('key_hash', 'is not', null)
    .where('model_id', 'is not', null)
  if (keyHash !== null) {
    charges = charges.where('key_hash', '=', keyHash)
    corrections = corrections.where('key_hash', '=', keyHash)
    refusals = refusals.where('key_hash', '=', keyHash)
  }
  if (modelId !== null) {
    charges = charges.where('model_id', '=', modelId)
    corrections = corrections.where('model_id', '=', modelId)
    refusals = refusals.where(refusedModel, '=', modelId)
  }
  if (by.length > 0) {
    charges = charges.groupBy(sql`${positions}`)
    corrections = corrections.groupBy(sql`${positions}`)
    refusals = refusals.groupBy(sql`${positions}`)
  }
  const [charged, corrected, refused] = await Promise.all([
    charges.execute(),
    corrections.execute(),
    refusing.length === 0 ? [] : refusals.execute(),
  ])
  return [...charged, ...corrected, ...refused] as SumRow[]
}

/** Same as the buckets' trigger. */
const refusedModel = sql<string>`case when code in ('rpm_exceeded', 'tpm_exceeded', 'parallel_exceeded', 'budget_exceeded',
  'budget_held') then coalesce(model_asked, '') else '' end`

function toSum(row: SumRow): SpendSum {
  const text = (name: SpendDimension) => (row[name] === undefined ? null : String(row[name]))
  return {
    bucketStart: row.bucket_start === undefined ? null : Number(row.bucket_start),
    teamId: text('team_id'),
    keyHash: text('key_hash'),
    modelId: text('model_id'),
    code: text('code'),
    // The sum of no rows is null.
    calls: row.calls ?? 0,
    refused: row.refused ?? 0,
    cost: row.cost ?? 0,
  }
}

/** Start of the oldest bucket (Unix ms); null if nothing was spent or refused yet. */
export async function readFirstBucket(
  db: Kysely<Schema>,
  { teamId }: { readonly teamId: string | null },
): Promise<number | null> {
  let query = db.selectFrom('spend_buckets').select(({ fn }) => fn.min('bucket_start').as('first'))
  if (teamId !== null) query = query.where('team_id', '=', teamId)
  const row = await query.executeTakeFirst()
  return row?.first ?? null
}
