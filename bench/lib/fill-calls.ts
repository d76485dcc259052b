// Fills a database with calls of many teams and days, past the store: a million of them in seconds, so that reading can be measured.
import { bucketMs } from '../../packages/server/src/store/schema/spend.ts'

export type Filling = {
  readonly engine: 'SQLite' | 'PostgreSQL'
  /** SQL past the store. */
  readonly run: (text: string) => Promise<void>
  readonly calls: number
  /** They are called `team-0` and so on, and have three keys each. */
  readonly teams: number
  /** Unix ms: when the first call was made, and over how long they are spread. */
  readonly start: number
  readonly spanMs: number
  readonly models: readonly string[]
}

export const keysPerTeam = 3

/** Every tenth call is refused, and teams, keys and models take turns that do not repeat with each other. */
export async function fillCalls({
  engine,
  run,
  calls,
  teams,
  start,
  spanMs,
  models,
}: Filling): Promise<void> {
  const stepMs = spanMs / calls
  const hex = (value: string, length: number) =>
    engine === 'SQLite'
      ? `printf('%0${length}x', ${value})`
      : `lpad(to_hex((${value})::bigint), ${length}, '0')`
  const numbers = (from: number, until: number) =>
    engine === 'SQLite'
      ? `(with recursive s(n) as (select ${from} union all select n + 1 from s where n + 1 < ${until}) select n from s) s`
      : `(select generate_series(${from}::bigint, ${until - 1}) as n) s`
  const at = `(${start} + cast(n * ${stepMs} as bigint))`
  const time = hex(at, 12)
  const id = `substr(${time}, 1, 8) || '-' || substr(${time}, 9, 4) || '-7000-8000-' || ${hex('n', 12)}`
  const team = `'team-' || (n * 7 % ${teams})`
  const key = hex(`n * 7 % ${teams} * ${keysPerTeam} + n % ${keysPerTeam}`, 64)
  const model = `case n % ${models.length} ${models.map((name, index) => `when ${index} then '${name}'`).join(' ')} end`
  const zeros = (count: number) =>
    engine === 'SQLite' ? `zeroblob(${count})` : `decode(repeat('00', ${count}), 'hex')`
  for (let from = 0; from < calls; from += 50_000) {
    const rows = numbers(from, Math.min(calls, from + 50_000))
    await run(`insert into charges (team_id, call_id, key_hash, model_id, endpoint, units, cost_nano, outcome, admitted_at, settled_at, duration_ms)
      select ${team}, ${id}, ${key}, ${model}, 'chat', '{"inputText":100,"outputText":20}', 1000 + n % 977, 'completed', ${at}, ${at} + 500, 500
        from ${rows} where n % 10 <> 0`)
    await run(`insert into calls (team_id, call_id, key_hash, endpoint, model_asked, model_served, outcome, code, units, cost_nano, received_at,
        ended_at, duration_ms, calls, last_at, salt, commit_hash)
      select ${team}, ${id}, ${key}, 'chat', ${model}, case when n % 10 = 0 then null else ${model} end,
          case when n % 10 = 0 then 'refused' else 'completed' end, case when n % 10 = 0 then 'rpm_exceeded' end, '{}',
          case when n % 10 = 0 then 0 else 1000 + n % 977 end, ${at}, ${at} + 500, 500, 1, ${at}, ${zeros(16)}, ${zeros(32)}
        from ${rows}`)
  }
  // PostgreSQL's trigger has counted them already.
  if (engine === 'SQLite')
    await run(`insert into spend_buckets (bucket_start, team_id, key_hash, model_id, code, writer, calls, cost_nano)
      select admitted_at / ${bucketMs} * ${bucketMs} as bucket, team_id, key_hash, model_id, '', 0, count(*), sum(cost_nano)
        from charges group by bucket, team_id, key_hash, model_id`)
  for (const [owner, group] of [
    [`'team:' || team_id`, 'team_id'],
    [`'key:' || key_hash`, 'team_id, key_hash'],
    [`'key_model:' || key_hash || ':' || model_id`, 'team_id, key_hash, model_id'],
  ])
    await run(`insert into totals (team_id, owner, slot, period_start, spent_nano, lifetime_nano, version)
      select team_id, ${owner}, 0, 0, sum(cost_nano), sum(cost_nano), 1 from charges group by ${group}`)
  await run(`insert into totals (team_id, owner, slot, period_start, spent_nano, lifetime_nano, version)
    select '', 'event', 0, 0, sum(cost_nano), sum(cost_nano), 1 from charges`)
  await run('analyze')
}
