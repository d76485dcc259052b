// Reads what owners have spent and what is held of their money, for all requested owners in one query.

import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import type { KeyPeriod, Limits, ModelSpend, OwnerPeriod, Spend } from '../port.ts'
import type { RunQuery } from './admission-lane.ts'
import { nameOwner } from './level-names.ts'

/**
 * Returns each owner's latest period unless it ended before the requested period. Reads all of an owner in one statement, as `admit_2`
 * does: spent, and taken less returned. If no state is kept, uses the amounts of its running calls.
 */
const spendText = `
select coalesce(case when p.latest >= a.period_start then t.spent end, 0),
    coalesce(case when p.latest >= a.period_start
      then case when s.team_id is null then coalesce(r.amount, e.amount) when s.period_start = p.latest then s.taken_nano - coalesce(t.returned, 0) end end, 0)
  from json_to_recordset($1::json) as a(i int, team_id text, owner text, period_start bigint)
  left join limit_states s on s.team_id = a.team_id and s.level = a.owner
  left join lateral (
    select greatest(s.period_start, max(o.period_start), case when s.team_id is null then a.period_start end) as latest
      from totals o where o.team_id = a.team_id and o.owner = a.owner
  ) p on true
  left join lateral (
    select sum(o.spent_nano) as spent, sum(o.returned_nano) as returned
      from totals o where o.team_id = a.team_id and o.owner = a.owner and o.period_start = p.latest
  ) t on true
  left join lateral (
    select sum(c.amount_nano) as amount from running_calls c
      where s.team_id is null and c.team_id = a.team_id
        and (a.owner = 'team:' || c.team_id and c.team_period = p.latest
          or a.owner in ('key:' || c.key_hash, 'key_model:' || c.key_hash || ':' || c.model_id) and c.key_period = p.latest)
  ) r on true
  left join lateral (
    select sum(c.event_nano) as amount from running_calls c
      where s.team_id is null and a.team_id = '' and a.owner = 'event' and c.event_nano > 0
  ) e on true
  order by a.i`

async function readSpend(read: RunQuery, asked: readonly OwnerPeriod[]): Promise<Spend[]> {
  if (asked.length === 0) return []
  const owners = asked.map(({ owner, periodStart }, i) => {
    const { teamId, name } = nameOwner(owner)
    return { i, team_id: teamId, owner: name, period_start: periodStart }
  })
  const rows = await read({ name: 'read_spend', text: spendText, values: [JSON.stringify(owners)] })
  return rows.map(([spent, held]) => ({ spent: toMoney(spent), held: toMoney(held) }))
}

const modelSpendText = `
select a.i, substr(t.owner, length(a.prefix) + 1), t.spent
  from json_to_recordset($1::json) as a(i int, team_id text, prefix text, period_start bigint)
  cross join lateral (
    select l.owner, (
        select sum(o.spent_nano) from totals o
          where o.team_id = a.team_id and o.owner = l.owner and o.period_start = l.latest
      ) as spent
      from (
        select o.owner, max(o.period_start) as latest from totals o
          where o.team_id = a.team_id and starts_with(o.owner, a.prefix) group by o.owner
      ) l
      where l.latest >= a.period_start
  ) t
  where t.spent > 0`

async function readModelSpend(read: RunQuery, keys: readonly KeyPeriod[]): Promise<ModelSpend[][]> {
  const found: ModelSpend[][] = keys.map(() => [])
  if (keys.length === 0) return found
  const asked = keys.map(({ teamId, keyHash, periodStart }, i) => ({
    i,
    team_id: teamId,
    prefix: `key_model:${keyHash}:`,
    period_start: periodStart,
  }))
  const rows = await read({ name: 'read_model_spend', text: modelSpendText, values: [JSON.stringify(asked)] })
  for (const [index, modelId, spent] of rows)
    found[Number(index)]?.push({ modelId: String(modelId), spent: toMoney(spent) })
  for (const spends of found) spends.sort((left, right) => (left.modelId < right.modelId ? -1 : 1))
  return found
}

/**
 * 64-bit sums arrive as text. Refunds may bring either row of an owner below zero in turn, but never their sum. Held money is never
 * negative either.
 */
function toMoney(value: unknown): NanoDollars {
  return nanoDollars(Math.min(Math.max(0, Number(value)), Number.MAX_SAFE_INTEGER))
}

const maxRemembered = 10_000

/**
 * Remembers spend for when the database is away. Both reads throw ApiError `unavailable` if nothing is known, so no one sees another
 * owner's spend.
 */
export class RememberedSpend implements Pick<Limits, 'readSpend' | 'readModelSpend'> {
  readonly #read: RunQuery
  readonly #ofOwners = new Map<string, Spend>()
  readonly #ofModels = new Map<string, readonly ModelSpend[]>()

  constructor(read: RunQuery) {
    this.#read = read
  }

  readonly readSpend = (asked: readonly OwnerPeriod[]): Promise<readonly Spend[]> =>
    readOrRecall(
      this.#ofOwners,
      asked.map(({ owner, periodStart }) => JSON.stringify([owner, periodStart])),
      () => readSpend(this.#read, asked),
    )

  readonly readModelSpend = (keys: readonly KeyPeriod[]): Promise<readonly (readonly ModelSpend[])[]> =>
    readOrRecall(
      this.#ofModels,
      keys.map(({ keyHash, periodStart }) => JSON.stringify([keyHash, periodStart])),
      () => readModelSpend(this.#read, keys),
    )
}

/** `names`: names of the values that `read` returns, in its order. */
async function readOrRecall<Known>(
  last: Map<string, Known>,
  names: readonly string[],
  read: () => Promise<readonly Known[]>,
): Promise<readonly Known[]> {
  try {
    const found = await read()
    for (const [index, known] of found.entries()) {
      if (last.size >= maxRemembered) last.clear()
      last.set(names[index] ?? '', known)
    }
    return found
  } catch (error) {
    return names.map(name => {
      const known = last.get(name)
      if (known === undefined) throw unavailable(5, error)
      return known
    })
  }
}
