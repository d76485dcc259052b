// `npm run bench:soak`: runs ten minutes of mixed load at a steady pace, and measures how resident memory and the counting tables change.
//
// BENCH_SECONDS sets how long (600), BENCH_PACE how many actions per second (400), BENCH_TEAMS how many teams (1). BENCH_ENGINE=postgres uses
// a PostgreSQL that it starts; with BENCH_PROCESSES that many processes share it. The slopes cover the second half, when caches and compiled
// code have settled. Memory is also given per million calls, so that an hour at a high pace stands for a day.
import { SQL } from 'bun'
import { startPostgres } from '../scripts/testing/start-postgres.ts'
import { recordResults } from './lib/record-results.ts'
import { runFairgate } from './lib/run-fairgate.ts'
import { runSandbox } from './lib/run-sandbox.ts'

console.log(`Mixes calls, streams, leaving clients and entries at a steady pace, to see whether memory
or the counting tables keep growing.
`)

const seconds = Number(process.env.BENCH_SECONDS ?? 600)
const pace = Number(process.env.BENCH_PACE ?? 400)
const teams = Number(process.env.BENCH_TEAMS ?? 1)
const processes = Number(process.env.BENCH_PROCESSES ?? 0)
const tickMs = 50
/** Reading the table sizes makes PostgreSQL look up the size of each file. */
const sizesEvery = 12
/** These keep a row for each call or entry: they grow as they should. */
const growing = ['calls', 'charges', 'entries', 'idempotent_calls', 'audit']

const engine = processes > 0 ? 'postgres' : (process.env.BENCH_ENGINE ?? 'sqlite')
const postgres = engine === 'postgres' ? startPostgres({ shared_buffers: '256MB' }) : null
if (engine === 'postgres' && postgres === null) throw new Error('PostgreSQL is not installed.')
const sandbox = runSandbox()
const fairgate = await runFairgate(
  sandbox.url,
  sandbox.key,
  postgres === null ? {} : { DATABASE_URL: postgres.url },
  undefined,
  processes > 1 ? ['--processes', String(processes)] : [],
)
const keys = [fairgate.key]
while (keys.length < teams)
  keys.push(await fairgate.createKey(`team-${keys.length}`, { model_rpm_limit: { 'mm-2.5-flash': 100_000 } }))
const watching = postgres === null ? null : new SQL(postgres.url, { max: 1 })

/** `calls`: without the requests with entries. */
type Count = { answered: number; failed: number; calls: number }
const counts: Count = { answered: 0, failed: 0, calls: 0 }

const post = async (url: string, secret: string, body: object, leaves = false) => {
  const leaving = new AbortController()
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    })
    if (leaves) leaving.abort()
    else await reply.text()
    if (reply.ok) counts.answered += 1
    else counts.failed += 1
  } catch (error) {
    if (!leaving.signal.aborted) counts.failed += 1
    if (!(error instanceof Error)) throw error
  }
}

/** Of ten actions, seven are whole calls, one is a stream, one is a stream that its client leaves, one is a request with twenty log entries. */
const runAction = (index: number): Promise<void> => {
  const kind = index % 10
  const key = keys[(index * 7919) % keys.length] ?? fairgate.key
  const chat = { model: 'mm-2.5-flash', messages: [{ role: 'user', content: `Question ${index}` }] }
  const chatUrl = `${fairgate.gatewayUrl}/v1/chat/completions`
  if (kind < 9) counts.calls += 1
  if (kind < 7) return post(chatUrl, key, chat)
  if (kind < 9) return post(chatUrl, key, { ...chat, stream: true }, kind === 8)
  const entries = Array.from({ length: 20 }, (_, entry) => ({
    ts: new Date().toISOString(),
    tool: 'codex',
    event: 'Stop',
    session_id: 's',
    repo: 'r',
    branch: 'b',
    commit: 'c',
    student: 'x',
    prompt: `${index} ${entry}`,
  }))
  return post(`${fairgate.logbookUrl}/api/ingest`, fairgate.token, { entries })
}

/** Least squares, in the unit of the values per unit of the places. */
function slopeOf(points: readonly (readonly [place: number, value: number])[]): number {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length
  const [place, value] = [mean(0), mean(1)]
  const over = points.reduce((sum, [at, found]) => sum + (at - place) * (found - value), 0)
  return over / points.reduce((sum, [at]) => sum + (at - place) ** 2, 0)
}

/** Kilobytes of each table with its indexes, except those that grow as they should. */
async function readTableSizes(): Promise<Record<string, number>> {
  if (watching === null) return {}
  const rows: { name: string; size: string }[] = await watching`
    select c.relname as name, pg_total_relation_size(c.oid)::text as size from pg_class c
    join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and n.nspname = 'public'`
  const counting = rows.filter(({ name }) => !growing.includes(name))
  return Object.fromEntries(counting.map(({ name, size }) => [name, Math.round(Number(size) / 1000)]))
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

try {
  const sizes: { minute: number; tables: Record<string, number> }[] = []
  const samples: { minute: number; calls: number; value: number }[] = []
  const began = performance.now()
  let next = 0
  let sampledAt = 0
  const running = new Set<Promise<void>>()
  while (performance.now() - began < seconds * 1000) {
    // Paced by the clock rather than the tick, so that a late tick does not lower the pace.
    for (const due = ((performance.now() - began) / 1000) * pace; next < due; ) {
      const action = runAction(next)
      next += 1
      running.add(action)
      void action.finally(() => running.delete(action))
    }
    await Bun.sleep(tickMs)
    const elapsed = (performance.now() - began) / 1000
    if (elapsed - sampledAt >= 5) {
      sampledAt = elapsed
      const value = (await fairgate.residentMemory()) / 1e6
      samples.push({ minute: elapsed / 60, calls: counts.calls, value })
      if (samples.length % sizesEvery === 0) {
        const tables = await readTableSizes()
        sizes.push({ minute: elapsed / 60, tables })
        const counting = postgres === null ? '' : `, ${sum(Object.values(tables))} kB of counting tables`
        console.log(
          `${elapsed.toFixed(0)} s: ${value.toFixed(0)} MB, ${counts.answered} answered, ${counts.failed} failed${counting}`,
        )
      }
    }
  }
  await Promise.all(running)
  const settled = samples.slice(samples.length >> 1)
  const slope = slopeOf(settled.map(({ minute, value }) => [minute, value]))
  const slopePerMillionCalls = slopeOf(settled.map(({ calls, value }) => [calls / 1e6, value]))
  const first = samples[0]?.value ?? 0
  const last = samples.at(-1)?.value ?? 0
  console.log(
    `${engine}: ${counts.answered} answered, ${counts.failed} failed in ${seconds} s; ${first.toFixed(0)} → ${last.toFixed(0)} MB, ` +
      `${slope.toFixed(2)} MB per minute and ${slopePerMillionCalls.toFixed(1)} MB per million calls in the second half (${counts.calls} calls in all)`,
  )
  const looks = sizes.slice(sizes.length >> 1)
  const tables = Object.keys(looks.at(-1)?.tables ?? {}).map(name => {
    const values = looks.map(({ minute, tables: all }) => ({ minute, value: all[name] ?? 0 }))
    const least = Math.min(...values.map(({ value }) => value))
    const most = Math.max(...values.map(({ value }) => value))
    const kilobytesPerMinute = slopeOf(values.map(each => [each.minute, each.value]))
    return { name, leastKilobytes: least, maxKilobytes: most, kilobytesPerMinute }
  })
  if (tables.length > 0) console.table(tables)
  recordResults(
    postgres === null ? 'soak' : 'soak-postgres',
    { seconds, perSecond: pace, teams, processes },
    [
      {
        ...counts,
        firstMegabytes: Math.round(first),
        lastMegabytes: Math.round(last),
        slopePerMinute: slope,
        slopePerMillionCalls,
        tables,
      },
    ],
  )
  if (counts.failed > 0) throw new Error('Some calls failed.')
} finally {
  await fairgate.stop()
  await watching?.close()
  sandbox.stop()
  postgres?.stop()
}
