// `npm run bench:pages`: how fast the pages are over an event of 1,000 teams with a million calls and as many entries: each request, the
// first sight of each screen, scrolling and filtering.
//
// BENCH_TEAMS (1000), BENCH_CALLS and BENCH_ENTRIES (1000000) and BENCH_RUNS (20) change the load. Needs Chromium (Debian: apt-get install chromium).
import { Database } from 'bun:sqlite'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { openBrowser } from '../packages/server/journeys/console/testing/open-browser.ts'
import { signInToConsole, signInToTeamPage } from '../packages/server/journeys/console/testing/sign-in.ts'
import { openSqliteStore } from '../packages/server/src/store/sqlite/open-sqlite-store.ts'
import { type EntryToAppend, packEntries } from '../packages/server/src/store/statements/packed-entries.ts'
import { fillCalls } from './lib/fill-calls.ts'
import { percentile } from './lib/percentile.ts'
import { recordResults } from './lib/record-results.ts'
import { runFairgate } from './lib/run-fairgate.ts'

const teams = Number(process.env.BENCH_TEAMS ?? 1000)
const calls = Number(process.env.BENCH_CALLS ?? 1_000_000)
const entries = Number(process.env.BENCH_ENTRIES ?? 1_000_000)
const runs = Number(process.env.BENCH_RUNS ?? 20)
const spanMs = 8 * 3_600_000
const start = Date.now() - spanMs - 60_000
const longSession = 5000
const models = ['mm-2.5-flash', 'mm-2.5-pro', 'mm-3.1-pro-preview', 'mm-2.5-flash-lite']

type Row = Readonly<Record<string, number | string>>
const rows: Row[] = []
const show = (row: Row) => {
  rows.push(row)
  console.log(`  ${Object.values(row).join('  ')}`)
}
const round = (ms: number) => Math.round(ms * 10) / 10

const folder = mkdtempSync(join(tmpdir(), 'fairgate-pages-'))
const data = join(folder, 'data')
/** Nothing is called: the figures are those of readers. */
const nowhere = ['http://127.0.0.1:9', 'bench-key'] as const
const first = await runFairgate(...nowhere, { FAIRGATE_DATA_DIR: data })
let key = ''
for (let from = 0; from < teams; from += 20)
  await Promise.all(
    Array.from({ length: Math.min(20, teams - from) }, async (_, place) => {
      const made = await first.createKey(`team-${from + place}`, { key_alias: 'laptop' })
      if (from + place === 0) key = made
    }),
  )
await first.stop()
const begun = performance.now()
await fill()
console.log(
  `${teams} teams, ${calls} calls, ${entries} entries, filled in ${round((performance.now() - begun) / 1000)} s`,
)

const fairgate = await runFairgate(...nowhere, { FAIRGATE_DATA_DIR: data }, undefined, [], false)
const browser = await openBrowser()
try {
  await measureRequests()
  await measureScreens()
} finally {
  await browser.close()
  await fairgate.stop()
  rmSync(folder, { recursive: true, force: true })
}
recordResults('pages', { teams, calls, entries, runs }, rows)

async function fill(): Promise<void> {
  const store = await openSqliteStore(data)
  const db = new Database(join(data, 'fairgate.db'))
  db.run('pragma busy_timeout = 60000')
  await fillCalls({
    ...{ engine: 'SQLite', calls, teams, start, spanMs, models },
    run: async text => void db.run(text),
  })
  const batch = 200
  const own = Math.ceil((entries - longSession) / (teams - 1))
  const append = (teamId: string, from: number, count: number, session: (number: number) => string) => {
    const built = Array.from({ length: count }, (_, place) => {
      const number = from + place
      return buildEntry(number, session(number), start + (number / Math.max(own, longSession)) * spanMs)
    })
    return {
      teamId,
      sender: { tokenId: 'lt_bench', clientAddress: null },
      entries: packEntries(built, randomBytes),
    }
  }
  for (let from = 0; from < longSession; from += batch)
    await store.write.appendEntries({
      now: Date.now(),
      requests: [append('team-0', from, batch, () => 'long')],
    })
  for (let team = 1; team < teams; team += 20)
    for (let from = 0; from < own; from += batch)
      await store.write.appendEntries({
        now: Date.now(),
        requests: Array.from({ length: Math.min(20, teams - team) }, (_, place) =>
          append(`team-${team + place}`, from, Math.min(batch, own - from), number => `s-${number % 7}`),
        ),
      })
  db.close()
  await store.close()
}

function buildEntry(number: number, session: string, tsMs: number): EntryToAppend {
  const kinds = ['UserPromptSubmit', 'PostToolUse', 'Stop']
  const event = kinds[number % 3] ?? ''
  const said =
    event === 'UserPromptSubmit'
      ? { prompt: `Make part ${number} of the parser faster, and add a test that fails before the change.` }
      : event === 'Stop'
        ? { response_summary: `Part ${number} is faster now. All tests pass. `.repeat(8) }
        : { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_response: 'ok\n'.repeat(40) }
  const body = JSON.stringify({
    ...{ branch: 'main', event, number, repo: 'team/project', session_id: session, student: 'a@example.org' },
    ...{ tool: 'claude', ts: new Date(tsMs).toISOString(), ...said },
  })
  const bodyHash = createHash('sha256').update(body).digest('hex')
  return {
    ...{ identity: bodyHash, body, bodyBytes: Buffer.byteLength(body), bodyHash },
    ...{ tsMicros: Math.floor(tsMs * 1000), toolKey: 'claude', eventKey: event },
  }
}

/** From the first byte sent to the last one read, one after the other. */
async function measureRequests(): Promise<void> {
  const from = new Date(Date.now() - 2 * 3_600_000).toISOString()
  const asked: readonly (readonly [string, string, string])[] = [
    ...[
      '/overview',
      '/attention',
      '/teams?limit=500',
      '/teams?limit=100&q=team-77',
      '/team/info?team_id=team-7&detail=true',
      `/series/spend?step=5m&from=${from}`,
      `/series/refusals?step=5m&from=${from}`,
      '/spend?by=team',
      '/calls?limit=100',
      '/calls?limit=100&outcome=refused',
      '/calls?limit=100&team_id=team-7',
      '/timeline?team_id=team-7&limit=50',
      '/logbook?limit=100',
      '/logbook?limit=100&team_id=team-7&event=Stop',
      '/sessions?team_id=team-7',
      '/sessions/team-0/long',
      '/sessions/team-0/long/items?limit=200',
    ].map(path => [fairgate.adminUrl, path, fairgate.adminKey] as const),
    ...['/self', '/self/calls?limit=50'].map(path => [fairgate.gatewayUrl, path, key] as const),
  ]
  for (const [root, path, credential] of asked) {
    const taken: number[] = []
    let status = 0
    let bytes = 0
    for (let run = -1; run < runs; run += 1) {
      const at = performance.now()
      const reply = await fetch(root + path, { headers: { authorization: `Bearer ${credential}` } })
      bytes = (await reply.arrayBuffer()).byteLength
      status = reply.status
      if (run >= 0) taken.push(performance.now() - at)
    }
    taken.sort((left, right) => left - right)
    show({
      request: path.replace(/from=[^&]*/, 'from=…'),
      status,
      p50_ms: round(percentile(taken, 0.5)),
      p95_ms: round(percentile(taken, 0.95)),
      kilobytes: Math.round(bytes / 1024),
    })
  }
}

async function measureScreens(): Promise<void> {
  const { page, faults } = await browser.open()
  await signInToConsole(page, fairgate.adminUrl, fairgate.adminKey)
  for (const [path, shown, scrolled] of [
    ['/console', 'table tbody tr', null],
    ['/console/teams', 'table tbody tr', '.table-window'],
    ['/console/calls', 'table tbody tr', '.table-window'],
    ['/console/logbook', 'table tbody tr', '.table-window'],
    ['/console/sessions?team=team-7', 'table tbody tr', null],
    ['/console/sessions/team-0/long', '.talk > li', 'window'],
    ['/console/spend', 'table tbody tr', null],
    ['/console/teams/team-7', '.chart', null],
  ] as const) {
    await measureSight(page, fairgate.adminUrl + path, path, shown)
    if (scrolled !== null) show({ scroll: path, ...(await scroll(page, scrolled)) })
  }
  await measureFilter(page)
  await signInToTeamPage(page, fairgate.gatewayUrl, key)
  for (const path of ['/', '/calls', '/log'])
    await measureSight(page, fairgate.gatewayUrl + path, `team page ${path}`, 'h1, .team-frame')
  if (faults.length > 0) console.log('Faults:', faults)
}

/** A fresh load with an empty cache: when something is painted first, and when what was asked for is there. */
async function measureSight(page: Page, url: string, name: string, shown: string): Promise<void> {
  const found: { paint: number; shown: number }[] = []
  for (let run = 0; run < 5; run += 1) {
    await page.setCacheEnabled(false)
    await page.goto(url, { waitUntil: 'domcontentloaded' })
    await page.waitForSelector(shown)
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
    found.push(
      await page.evaluate(() => ({
        paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
        shown: performance.now(),
      })),
    )
  }
  const median = (values: readonly number[]) =>
    round(
      percentile(
        values.toSorted((a, b) => a - b),
        0.5,
      ),
    )
  show({
    screen: name,
    first_paint_ms: median(found.map(each => each.paint)),
    shown_ms: median(found.map(each => each.shown)),
  })
}

/** Five seconds of scrolling as a wheel does: how far apart frames are. */
function scroll(page: Page, what: string): Promise<Row> {
  return page.evaluate(async selector => {
    const element = selector === 'window' ? document.scrollingElement : document.querySelector(selector)
    const gaps: number[] = []
    const until = performance.now() + 5000
    let last = performance.now()
    while (performance.now() < until) {
      element?.scrollBy(0, 400)
      await new Promise(resolve => requestAnimationFrame(resolve))
      gaps.push(performance.now() - last)
      last = performance.now()
    }
    gaps.sort((left, right) => left - right)
    const at = (share: number) => Math.round((gaps[Math.floor(gaps.length * share)] ?? 0) * 10) / 10
    return {
      ...{ frames: gaps.length, p50_ms: at(0.5), p95_ms: at(0.95), longest_ms: at(0.9999) },
      ...{
        pixels: Math.round(element?.scrollTop ?? 0),
        rows_in_page: document.querySelectorAll('tbody tr').length,
      },
    }
  }, what)
}

/** From the last key pressed until the list shows what was asked for. */
async function measureFilter(page: Page): Promise<void> {
  await page.goto(`${fairgate.adminUrl}/console/teams`)
  await page.waitForSelector('tbody tr[data-row]')
  const field = 'input[type=search], input[placeholder="Team or member"]'
  await page.waitForSelector(field)
  const taken: number[] = []
  for (const wanted of ['team-77', 'team-503', 'team-9', 'team-42']) {
    await page.click(field, { clickCount: 3 })
    await page.type(field, wanted)
    const at = performance.now()
    await page.waitForFunction(
      text => {
        const shown = [...document.querySelectorAll('tbody tr[data-row]')]
        return shown.length > 0 && shown.every(row => row.getAttribute('data-row')?.includes(text))
      },
      {},
      wanted,
    )
    taken.push(performance.now() - at)
  }
  show({
    filter: '/console/teams by name',
    p50_ms: round(
      percentile(
        taken.toSorted((a, b) => a - b),
        0.5,
      ),
    ),
    longest_ms: round(Math.max(...taken)),
  })
}
