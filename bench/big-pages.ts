// `npm run bench:pages`: measures the routes that the console and team page read, in a large event.
//
// BENCH_TEAMS (500), BENCH_CALLS (3,000,000) and BENCH_ENTRIES (5,000,000) set its size. BENCH_ENGINE=postgres uses a PostgreSQL that it
// starts and stops, DATABASE_URL your own empty one. BENCH_FOLDER keeps the filled data and reuses it. BENCH_ROUTES is part of the
// addresses to measure. BENCH_OPEN (20) pages of others are open meanwhile, 0 for none. BENCH_ROOT is the folder of another build to measure; its results are printed but not recorded.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../scripts/testing/start-postgres.ts'
import { type MadeEvent, type MadeTeam, makeBigEvent } from './lib/make-big-event.ts'
import { percentile } from './lib/percentile.ts'
import { findPostgres, readTreeMicros } from './lib/process-times.ts'
import { recordResults } from './lib/record-results.ts'
import { type BenchFairgate, runFairgate } from './lib/run-fairgate.ts'
import { runSandbox } from './lib/run-sandbox.ts'
import { readThreadTimes, subtractThreadTimes } from './lib/thread-times.ts'

const open = Number(process.env.BENCH_OPEN ?? 20)
console.log(`Reads each route of the console and the team page in a large event, cold and warm,
while a model call runs every 25 ms and ${open} pages of others are open.
`)

const size = {
  teams: Number(process.env.BENCH_TEAMS ?? 500),
  calls: Number(process.env.BENCH_CALLS ?? 3_000_000),
  entries: Number(process.env.BENCH_ENTRIES ?? 5_000_000),
}
const ownUrl = process.env.DATABASE_URL
const engine = ownUrl === undefined ? (process.env.BENCH_ENGINE ?? 'sqlite') : 'postgres'
const otherRoot = process.env.BENCH_ROOT
const wanted = process.env.BENCH_ROUTES ?? ''
const repeats = 20

const kept = process.env.BENCH_FOLDER
const folder = kept ?? mkdtempSync(join(tmpdir(), 'fairgate-pages-'))
mkdirSync(folder, { recursive: true })
const postgresSettings = { fsync: 'off', shared_buffers: '2GB', max_wal_size: '8GB', wal_compression: 'lz4' }
const postgres =
  engine === 'postgres' && ownUrl === undefined
    ? startPostgres(postgresSettings, kept === undefined ? null : join(folder, 'postgres'))
    : null
const databaseUrl = ownUrl ?? postgres?.url
if (engine === 'postgres' && databaseUrl === undefined) throw new Error('PostgreSQL is not installed.')
const data = join(folder, 'data')
const variables = {
  FAIRGATE_DATA_DIR: data,
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
}
const sandbox = runSandbox()
const start = (makesTeam: boolean) =>
  runFairgate(sandbox.url, sandbox.key, variables, otherRoot, [], makesTeam)

async function fill(): Promise<MadeEvent> {
  const began = performance.now()
  const made = await makeBigEvent(() => start(true), data, databaseUrl, size)
  console.log(`Filled in ${((performance.now() - began) / 1000).toFixed(0)} s.`)
  return made
}

/** A session and a call of a team, for routes that show one. */
type Shown = { readonly sessionId: string; readonly callId: string }

type Route = {
  readonly name: string
  readonly door: 'admin' | 'team'
  /** An event path or a team path. A team path is read for five teams, each cold and then warm. */
  readonly pathOf: string | ((team: MadeTeam, shown: Shown) => string)
}

/** Every GET of the pages (`grep -rn readOf packages/console/src`), plus the lists for programs. */
function listRoutes({ until }: MadeEvent): readonly Route[] {
  // The pages ask for whole buckets.
  const lastBucket = Math.floor(until / 300_000) * 300_000
  const ago = (hours: number) => encodeURIComponent(new Date(lastBucket - hours * 3_600_000).toISOString())
  const fixed = [
    ...[
      '/overview',
      '/attention',
      '/first_steps',
      '/event',
      '/readiness',
      '/upstreams',
      '/catalog',
      '/people?limit=500',
    ],
    ...['/teams?limit=8', '/teams?sort=team_alias&limit=500', '/teams?sort=last_entry&order=desc&limit=500'],
    `/series/spend?from=${ago(8)}&step=5m`,
    `/series/spend?by=team&step=1h&team_id=team-000`,
    `/series/spend?by=model&step=10m`,
    `/series/spend?step=10m&time_zone=Asia/Seoul`,
    `/series/calls?step=10m&from=${ago(4)}`,
    `/series/refusals?step=5m&from=${ago(1)}`,
    '/series/refusals?step=10m',
    `/series/latency?step=10m&from=${ago(4)}`,
    `/series/entries?step=10m&from=${ago(8)}`,
    `/series/entries?step=10m&from=${ago(4)}&by=team`,
    ...['/spend?by=team&limit=100', '/spend?by=member&limit=100', '/spend?by=key&limit=100'],
    ...[
      '/spend?by=model&limit=500',
      '/spend?by=code&limit=100',
      `/spend?by=team&limit=100&from=${ago(3.01)}`,
    ],
    ...['/spend/forecast', '/spend/verify'],
    ...['/calls?limit=50', '/calls?outcome=refused&limit=50', '/calls?limit=1&outcome=refused'],
    ...['/calls?model=mm-2.5-pro&limit=50', '/calls?outcome=failed&limit=50'],
    ...['/logs/entries?limit=50', '/logs/entries?limit=200', '/logs/boards', '/logbook?limit=100'],
    ...['/logs/entries?tool=codex&limit=50', '/logs/search?q=freedom', '/audit?limit=200', '/notes'],
    ...[
      '/questions?state=waiting&limit=1',
      '/announcements?past=true&limit=100',
      '/claims?limit=500',
      '/webhooks',
    ],
    ...['/coverage'],
  ].map(path => buildRoute(path, path))
  const perTeam = [
    ...['/team/info?detail=true&', '/key/list?return_full_object=true&size=100&page=1&', '/log_token/list?'],
    ...['/sessions?limit=100&', '/timeline?limit=50&', '/logs/boards?', '/logbook?limit=100&', '/recorders?'],
    ...[
      '/audit?limit=200&',
      '/calls?limit=50&',
      '/calls?outcome=refused&limit=1&',
      '/claims?limit=100&',
      '/coverage?',
    ],
    ...[
      '/coverage?calls=true&',
      '/logs/entries?limit=50&',
      '/series/spend?step=10m&',
      '/spend?by=key&limit=100&',
    ],
    ...['/spend/verify?', `/series/entries?step=10m&from=${ago(8)}&`, '/logs/search?q=freedom&'],
  ].map(path => buildRoute(`${path}team_id=…`, ({ teamId }) => `${path}team_id=${teamId}`))
  const single = [
    buildRoute('/sessions/…/…', ({ teamId }, { sessionId }) => `/sessions/${teamId}/${sessionId}`),
    buildRoute(
      '/sessions/…/…/items',
      ({ teamId }, { sessionId }) => `/sessions/${teamId}/${sessionId}/items`,
    ),
    buildRoute('/entries/…/…', ({ teamId }) => `/entries/${teamId}/100`),
    buildRoute('/calls/…', (_, { callId }) => `/calls/${callId}`),
    buildRoute('/key/info', ({ keyHashes: [key = ''] }) => `/key/info?key=${key}`),
  ]
  const ofTeams = [
    ...[
      '/self',
      '/self/calls?limit=10',
      '/self/calls?limit=50&outcome=refused',
      '/self/sessions',
      '/self/models',
    ],
    ...[`/self/series?from=${ago(8)}&step=10m`, '/self/questions', '/coverage'],
  ].map(path => ({ ...buildRoute(`team ${path}`, () => path), door: 'team' }) as const)
  return [...fixed, ...perTeam, ...single, ...ofTeams].filter(({ name }) => name.includes(wanted))
}

/** `pathOf`: one path, or a team path, which is read for another team each time. */
function buildRoute(name: string, pathOf: Route['pathOf']): Route {
  return { name: name.replace(/from=[^&]*/, 'from=…'), door: 'admin', pathOf }
}

/** Makes a model call every 25 ms. */
function startCalls(fairgate: BenchFairgate, key: string) {
  let [times, isOver]: [number[], boolean] = [[], false]
  const body = JSON.stringify({
    model: 'mm-2.5-flash',
    max_tokens: 16,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const run = (async () => {
    while (!isOver) {
      const began = performance.now()
      const reply = await fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body,
      })
      if (!reply.ok) throw new Error(await reply.text())
      await reply.arrayBuffer()
      times.push(performance.now() - began)
      await Bun.sleep(Math.max(0, 25 - (performance.now() - began)))
    }
  })()
  return {
    take: () => {
      const taken = times
      times = []
      return taken
    },
    stop: async () => {
      isOver = true
      await run
    },
  }
}

/** Every how many milliseconds an open page reads its figures again. */
const openEveryMs = 15_000

/** Pages that others have open: an organiser's overview, the spend of all teams, a team, or the newest entries and calls. */
function openPages(teams: readonly MadeTeam[], read: (path: string) => Promise<unknown>) {
  let isOver = false
  const follow = async (index: number) => {
    // The measured teams come from the other end.
    const teamId = teams.at(-1 - (index % teams.length))?.teamId
    const kinds = [
      ['/overview', '/attention', '/teams?limit=8'],
      ['/spend?by=key&limit=100', '/series/spend?step=10m'],
      [`/team/info?detail=true&team_id=${teamId}`, `/sessions?limit=100&team_id=${teamId}`],
      ['/logbook?limit=100', '/calls?limit=50'],
    ]
    await Bun.sleep((openEveryMs * index) / open)
    while (!isOver) {
      await Promise.all((kinds[index % kinds.length] ?? []).map(read))
      for (let waited = 0; waited < openEveryMs && !isOver; waited += 100) await Bun.sleep(100)
    }
  }
  const pages = Array.from({ length: open }, (_, index) => follow(index))
  return {
    stop: async () => {
      isOver = true
      await Promise.all(pages)
    },
  }
}

const noneShown: Shown = { sessionId: '', callId: '' }

const residentOf = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

try {
  const madePath = join(folder, 'made.json')
  const isFilled = existsSync(madePath)
  const made: MadeEvent = isFilled ? JSON.parse(readFileSync(madePath, 'utf8')) : await fill()
  if (kept !== undefined) writeFileSync(madePath, JSON.stringify(made))
  // Times of a kept event are in the past, so the queried times must be too.
  const fairgate = await start(false)
  const calls = startCalls(fairgate, made.callerKey)
  const database = databaseUrl === undefined ? null : findPostgres(databaseUrl)
  const rows: object[] = []
  let stopOthers = async () => {}
  console.log(
    `${engine}: ${size.teams} teams, ${size.calls} calls, ${size.entries} entries\n` +
      `${'ms'.padEnd(52)} ${['cold p50', 'max', 'warm p50', 'p99', 'call p99', 'serving', 'all CPU', 'MB'].map(head => head.padStart(9)).join('')}`,
  )
  try {
    const get = async (url: string, key: string): Promise<string> => {
      const reply = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${url}: ${text.slice(0, 500)}`)
      return text
    }
    const ofAdmin = async (path: string) =>
      JSON.parse(await get(`${fairgate.adminUrl}${path}`, fairgate.adminKey))
    const others = openPages(made.teams, ofAdmin)
    stopOthers = others.stop
    const findShown = async ({ teamId }: MadeTeam): Promise<Shown> => {
      const { items: sessions } = await ofAdmin(`/sessions?limit=1&team_id=${teamId}`)
      const { items: found } = await ofAdmin(`/calls?limit=1&team_id=${teamId}`)
      return { sessionId: sessions[0].session_id, callId: found[0].call_id }
    }
    let next = 0
    const takeTeam = (): MadeTeam => {
      const team = made.teams[next % made.teams.length]
      next += 1
      if (team === undefined) throw new Error('The event has no teams.')
      return team
    }
    for (const { name, door, pathOf } of listRoutes(made)) {
      const chosen: { readonly path: string; readonly key: string }[] = []
      for (let count = typeof pathOf === 'string' ? 1 : 5; count > 0; count -= 1) {
        const team = takeTeam()
        // Finding one warms the team up, like the list that leads to it.
        const shown = name.includes('…/…') || name.includes('calls/…') ? await findShown(team) : noneShown
        chosen.push({ path: typeof pathOf === 'string' ? pathOf : pathOf(team, shown), key: team.key })
      }
      const ask = async ({ path, key }: { readonly path: string; readonly key: string }): Promise<number> => {
        const began = performance.now()
        if (door === 'admin') await get(`${fairgate.adminUrl}${path}`, fairgate.adminKey)
        else await get(`${fairgate.gatewayUrl}${path}`, key)
        return performance.now() - began
      }
      calls.take()
      const [cold, warm]: [number[], number[]] = [[], []]
      const before = readThreadTimes(fairgate.pid)
      const databaseBefore = database === null ? 0 : readTreeMicros(database)
      for (const each of chosen) cold.push(await ask(each))
      while (warm.length < repeats && warm.reduce((sum, time) => sum + time, 0) < 20_000)
        for (const each of chosen) warm.push(await ask(each))
      const spent = subtractThreadTimes(fairgate.pid, before, readThreadTimes(fairgate.pid))
      const databaseMs = database === null ? 0 : (readTreeMicros(database) - databaseBefore) / 1000
      const row = {
        name,
        coldP50: percentile(cold, 0.5),
        coldMax: Math.max(...cold),
        p50: percentile(warm, 0.5),
        p99: percentile(warm, 0.99),
        callP99: percentile(calls.take(), 0.99),
        servingPerRead: spent.serving / 1e6 / (cold.length + warm.length),
        cpuPerRead: (spent.all / 1e6 + databaseMs) / (cold.length + warm.length),
        megabytes: residentOf(fairgate.pid),
      }
      const { name: _, ...figures } = row
      const shown = Object.values(figures).map(value => value.toFixed(value < 10 ? 1 : 0).padStart(9))
      console.log(`${name.slice(0, 52).padEnd(52)} ${shown.join('')}`)
      rows.push(
        Object.fromEntries(
          Object.entries(row).map(([key, value]) => [
            key,
            typeof value === 'number' ? Number(value.toFixed(1)) : value,
          ]),
        ),
      )
    }
    if (otherRoot === undefined && wanted === '')
      recordResults(`pages-${engine}`, { ...size, repeats, open }, rows)
  } finally {
    await stopOthers()
    await calls.stop()
    await fairgate.stop()
  }
} finally {
  sandbox.stop()
  postgres?.stop()
  if (kept === undefined) rmSync(folder, { recursive: true, force: true })
}
