// `npm run bench:live`: what consoles and team pages that follow live cost a gateway under load, taken in turns with and without them.
//
// BENCH_READERS (20 consoles), BENCH_PAGES (1000 team pages), BENCH_TEAMS (60), BENCH_CONNECTIONS (32), BENCH_SECONDS (5) and BENCH_ROUNDS (4) change the load. Needs Linux, nginx
// and wrk (Debian: apt-get install nginx-light wrk).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { percentile } from './lib/percentile.ts'
import { recordResults } from './lib/record-results.ts'
import { runFairgate } from './lib/run-fairgate.ts'
import { runScriptedUpstream } from './lib/run-nginx.ts'
import { requirePrograms, runWrk, writeLoadScript } from './lib/run-wrk.ts'
import { readThreadTimes, subtractThreadTimes } from './lib/thread-times.ts'

const readers = Number(process.env.BENCH_READERS ?? 20)
const pages = Number(process.env.BENCH_PAGES ?? 1000)
const teams = Number(process.env.BENCH_TEAMS ?? 60)
const connections = Number(process.env.BENCH_CONNECTIONS ?? 32)
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 4)
const topics = 'stats,teams,sessions,event,attention,messages'

requirePrograms('nginx', 'wrk')
const folder = mkdtempSync(join(tmpdir(), 'fairgate-live-'))
const upstream = await runScriptedUpstream(folder)
const fairgate = await runFairgate(upstream.url, 'bench-key')
const keys: string[] = []
for (let team = 1; team < teams; team += 1) keys.push(await fairgate.createKey(`team-${team}`, {}))
const target = {
  name: 'chat',
  url: `${fairgate.gatewayUrl}/v1/chat/completions`,
  script: writeLoadScript(folder, 'chat', { Authorization: `Bearer ${fairgate.key}` }, 'mm-2.5-flash', 1000),
}
await runWrk(target, connections, seconds)

type Round = {
  readonly perSecond: number
  readonly serving: number
  readonly all: number
  readonly bytes: number
}

async function measure(consoles: number, teamPages: number): Promise<Round> {
  const leaving = new AbortController()
  let bytes = 0
  const follow = async (url: string, credential: string) => {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${credential}` },
      signal: leaving.signal,
    })
    if (!response.ok || response.body === null) throw new Error(await response.text())
    for await (const piece of response.body) bytes += piece.byteLength
  }
  const followers = [
    ...Array.from({ length: consoles }, () =>
      follow(`${fairgate.adminUrl}/stream?topics=${topics}`, fairgate.adminKey),
    ),
    ...Array.from({ length: teamPages }, (_, page) =>
      follow(`${fairgate.gatewayUrl}/self/stream`, keys[page % keys.length] ?? ''),
    ),
  ]
  const following = followers.map(each =>
    each.catch(error => {
      if (!leaving.signal.aborted) throw error
    }),
  )
  const before = readThreadTimes(fairgate.pid)
  const { requests, perSecond, failed } = await runWrk(target, connections, seconds)
  const { serving, all } = subtractThreadTimes(fairgate.pid, before, readThreadTimes(fairgate.pid))
  leaving.abort()
  await Promise.all(following)
  if (failed > 0) throw new Error(`${failed} of ${requests} calls failed.`)
  const perCall = (nanoseconds: number) => nanoseconds / 1000 / requests
  return { perSecond, serving: perCall(serving), all: perCall(all), bytes }
}

const settings = [
  { consoles: 0, team_pages: 0 },
  { consoles: readers, team_pages: 0 },
  { consoles: readers, team_pages: pages },
]
const results = settings.map((): Round[] => [])
try {
  for (let round = 0; round < rounds; round += 1)
    for (const [index, { consoles, team_pages }] of settings.entries())
      results[index]?.push(await measure(consoles, team_pages))
} finally {
  await fairgate.stop()
  upstream.stop()
  rmSync(folder, { recursive: true, force: true })
}

const figures = settings.map(({ consoles, team_pages }, index) => {
  const middle = (read: (round: Round) => number) =>
    Math.round(percentile((results[index] ?? []).map(read), 0.5) * 100) / 100
  return {
    consoles,
    team_pages,
    calls_per_second: middle(({ perSecond }) => perSecond),
    serving_us_per_call: middle(({ serving }) => serving),
    all_threads_us_per_call: middle(({ all }) => all),
    kilobytes_per_second_each: Math.round(
      middle(({ bytes }) => bytes) / 1024 / seconds / Math.max(1, consoles + team_pages),
    ),
  }
})
console.table(figures)
recordResults('live-readers', { teams, connections, seconds, rounds }, figures)
