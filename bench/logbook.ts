// `npm run bench:logbook`: measures entries stored per second, and the cost of a page when there are many entries.
//
// BENCH_ENTRIES sets how many are stored (200,000) and BENCH_TEAMS by how many teams (1). BENCH_ENGINE=postgres uses a
// PostgreSQL that it starts and stops, with `fsync` on and the settings from docs/postgresql.md. BENCH_ROOT is the folder of
// another build to measure; its results are printed but not recorded.
import { startPostgres } from '../scripts/testing/start-postgres.ts'
import { percentile } from './lib/percentile.ts'
import { recordResults } from './lib/record-results.ts'
import { runFairgate } from './lib/run-fairgate.ts'
import { readThreadTimes, subtractThreadTimes } from './lib/thread-times.ts'

console.log(`Stores entries and reads pages back, to see how many entries per second the logbook accepts
and whether pages stay fast as it grows.
`)

const total = Number(process.env.BENCH_ENTRIES ?? 200_000)
const teams = Number(process.env.BENCH_TEAMS ?? 1)
const engine = process.env.BENCH_ENGINE ?? 'sqlite'
const otherRoot = process.env.BENCH_ROOT
const batch = 500
const senders = 8
const pagesPerQuestion = 200

const tools = ['claude-code', 'codex', 'gemini-cli', 'cursor', 'copilot', 'windsurf']
const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionStart']
const text = 'All human beings are born free and equal in dignity and rights. '.repeat(11)
const start = Date.parse('2026-11-21T00:00:00Z')

/** Entries of about 1 kB each, all different, over 6 tools and 5 events. */
const buildEntry = (index: number) => ({
  ts: new Date(start + index * 40).toISOString(),
  tool: tools[index % tools.length],
  event: events[index % events.length],
  session_id: `session-${index % 97}`,
  repo: 'team/project',
  branch: 'main',
  commit: 'abc1234',
  student: 'student@example.org',
  prompt: `${index} ${text}`,
})

const postgres =
  engine === 'postgres'
    ? startPostgres({ fsync: 'on', shared_buffers: '1GB', max_wal_size: '8GB', wal_compression: 'lz4' })
    : null
if (engine === 'postgres' && postgres === null) throw new Error('PostgreSQL is not installed.')
const fairgate = await runFairgate(
  'http://127.0.0.1:9',
  'unused',
  postgres === null ? {} : { DATABASE_URL: postgres.url },
  otherRoot,
)
const tokens = [fairgate.token]
while (tokens.length < teams) tokens.push(await fairgate.createTeam(`bench-${tokens.length}`))
const headersOf = (team: number) => ({
  authorization: `Bearer ${tokens[team % teams]}`,
  'content-type': 'application/json',
})

const send = async (first: number): Promise<number> => {
  const entries = Array.from({ length: Math.min(batch, total - first) }, (_, index) =>
    buildEntry(first + index),
  )
  const reply = await fetch(`${fairgate.logbookUrl}/api/ingest`, {
    method: 'POST',
    headers: headersOf(first / batch),
    body: JSON.stringify({ entries }),
  })
  const { stored } = (await reply.json()) as { stored: number }
  if (reply.status !== 202 || stored !== entries.length)
    throw new Error(`Only ${stored} entries were stored.`)
  return stored
}

/** Queries of the team page and of organisers, at the newest entries and deep in the past. */
const questions = ['', '&tool=codex', '&event=Stop', '&tool=codex&event=Stop'].flatMap(filter =>
  // Deep, but every team and filter still has earlier entries.
  [1, 0.5, Math.max(0.01, (2 * teams * batch) / total)].map(depth => ({ filter, depth })),
)

try {
  let next = 0
  const timesBefore = readThreadTimes(fairgate.pid)
  const began = performance.now()
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (next < total) {
        const first = next
        next += batch
        await send(first)
      }
    }),
  )
  const seconds = (performance.now() - began) / 1000
  const perSecond = Math.round(total / seconds)
  const spent = subtractThreadTimes(fairgate.pid, timesBefore, readThreadTimes(fairgate.pid))
  const perEntry = (nanoseconds: number) => Number((nanoseconds / 1000 / total).toFixed(2))
  const microseconds = Object.fromEntries([...spent.byName].map(([name, time]) => [name, perEntry(time)]))
  console.log(
    `${engine}: ${total} entries of ${teams} team(s) in ${seconds.toFixed(1)} s: ${perSecond}/s, ${senders} senders of ${batch}`,
  )
  console.log(`CPU time in µs per entry: ${perEntry(spent.all)} in total`, microseconds)

  const pages: object[] = []
  console.log('page of 200                  depth     p50      p99')
  for (const { filter, depth } of questions) {
    const times: number[] = []
    for (let page = 0; page < pagesPerQuestion; page += 1) {
      const moment = new Date(start + Math.floor(total * depth) * 40 + page).toISOString()
      const asked = performance.now()
      const reply = await fetch(
        `${fairgate.logbookUrl}/api/ingest/entries?limit=200&before=${moment}${filter}`,
        { headers: headersOf(page) },
      )
      const { items } = (await reply.json()) as { items: unknown[] }
      if (items.length === 0) throw new Error('The page is empty.')
      times.push(performance.now() - asked)
    }
    const show = (share: number) => `${percentile(times, share).toFixed(1)} ms`.padStart(8)
    console.log(`${(filter || '(all)').padEnd(28)} ${String(depth).padStart(5)} ${show(0.5)} ${show(0.99)}`)
    pages.push({
      filter,
      depth,
      p50: Number(percentile(times, 0.5).toFixed(2)),
      p99: Number(percentile(times, 0.99).toFixed(2)),
    })
  }
  if (otherRoot === undefined)
    recordResults(`logbook-${engine}${teams > 1 ? '-teams' : ''}`, { total, teams, batch, senders }, [
      { perSecond },
      ...pages,
    ])
} finally {
  await fairgate.stop()
  postgres?.stop()
}
