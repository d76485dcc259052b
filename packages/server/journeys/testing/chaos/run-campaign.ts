// Runs ten teams on one or more server processes with a hostile upstream, while processes are killed, ended and frozen. Nothing may go wrong.
import { fileURLToPath } from 'node:url'
import type { LoggedCall } from '@fairgate/sandbox/hostile/call-log.ts'
import { waitUntilIdle, writeHostileCatalog, writeHostileSettings } from '../hostile/hostile-fairgate.ts'
import { createSurroundings, upstreamKey } from '../start-fairgate.ts'
import { type Account, createAccount } from './account.ts'
import { changeRules } from './change-rules.ts'
import { createDice } from './dice.ts'
import { judgeLedger } from './judge-ledger.ts'
import { judgeLogbook } from './judge-logbook.ts'
import { groupByMark, judgeSlots, judgeWindows } from './judge-windows.ts'
import { readEntries, sendEntries } from './keep-log.ts'
import { type Campaign, lookAround, makeCall } from './make-calls.ts'
import { startUnderChaos } from './server-under-chaos.ts'
import { openTeams } from './teams.ts'
import { watchSpend } from './watch-spend.ts'

export type CampaignOptions = {
  readonly minutes: number
  readonly seed: number
  /** Seconds between two disturbances, on average. */
  readonly killEvery: number
  /** Clients at once. */
  readonly clients?: number
  /** Number of server processes; more than one need PostgreSQL. */
  readonly processes?: number
  /** Makes the campaign's own database crash now and then too. */
  readonly crashDatabase?: (downMs: number) => Promise<void>
  readonly hostileShare?: number
  readonly report?: (line: string) => void
}

export type CampaignReport = { readonly violations: readonly string[]; readonly summary: string }

const hostileVendor = fileURLToPath(new URL('../../../../sandbox/hostile/main.ts', import.meta.url))

/** A separate process: it survives the server's kills and keeps its own account of them. */
async function startUpstream(): Promise<{
  readonly url: string
  readonly read: () => Promise<Log>
  readonly stop: () => Promise<void>
}> {
  const child = Bun.spawn([process.execPath, hostileVendor], {
    env: {
      PATH: process.env.PATH ?? '',
      SANDBOX_PORT: '0',
      SANDBOX_KEYS: upstreamKey,
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const reader = child.stdout.getReader()
  let said = ''
  while (!/http:\/\/\S+,/.test(said)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`The hostile vendor ended: ${said}`)
    said += new TextDecoder().decode(value)
  }
  void (async () => {
    while (!(await reader.read()).done);
  })()
  const url = /http:\/\/[\d.:]+/.exec(said)?.[0] ?? ''
  return {
    url,
    read: async () => (await (await fetch(`${url}/sandbox/calls`)).json()) as Log,
    stop: async () => {
      child.kill()
      await child.exited
    },
  }
}

type Log = { readonly calls: readonly LoggedCall[]; readonly trapped: number }

const settings = `
upstream: { timeout_seconds: 5, timeouts: { videos: 5 }, max_retries: 1 }
drain_seconds: 10`

/** On PostgreSQL when TEST_POSTGRES_URL names one, else on SQLite. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { minutes, seed, killEvery, clients = 20, hostileShare = 0.25, report = console.log } = options
  const { processes = 1, crashDatabase = null } = options
  const startedAt = Date.now()
  const account = createAccount(startedAt)
  const dice = createDice(seed)
  const upstream = await startUpstream()
  const place = await createSurroundings({
    models: writeHostileCatalog(),
    settings: writeHostileSettings(upstream.url, settings),
    variables: { VENDOR_BASE_URL: upstream.url, OTHER_KEY: upstreamKey },
  })
  const engine = place.databaseUrl === null ? 'SQLite' : 'PostgreSQL'
  const server = await startUnderChaos(place, createDice(seed + 1), account, {
    processes,
    crashDatabase,
  })
  try {
    const teams = await openTeams(server.manage(), account)
    const endsAt = Date.now() + minutes * 60_000
    const hasEnded = () => Date.now() >= endsAt
    const campaign: Campaign = {
      dice,
      account,
      server,
      teams,
      hostileShare,
      videos: [],
      repeatable: [],
      hasEnded,
    }
    const repeat = async (work: () => Promise<void>, pauseMs: () => number) => {
      while (!hasEnded()) {
        await server.ready()
        await work()
        await Bun.sleep(pauseMs())
      }
    }
    const own = createDice(seed + 2)
    await Promise.all([
      ...Array.from({ length: clients }, () =>
        repeat(
          () => makeCall(campaign),
          () => dice.integer(0, 120),
        ),
      ),
      repeat(
        () => lookAround(campaign),
        () => dice.integer(5, 60),
      ),
      repeat(
        () => lookAround(campaign),
        () => dice.integer(5, 60),
      ),
      repeat(
        () => sendEntries(campaign),
        () => dice.integer(5, 60),
      ),
      repeat(
        () => sendEntries(campaign),
        () => dice.integer(5, 60),
      ),
      repeat(
        () => readEntries(campaign),
        () => 200,
      ),
      repeat(
        () => watchSpend(campaign),
        () => 500,
      ),
      repeat(
        () => changeRules(campaign),
        () => own.integer(200, 2500),
      ),
      (async () => {
        while (!hasEnded()) {
          const pause = killEvery * 1000 * (0.5 + own.roll())
          await Bun.sleep(Math.min(pause, Math.max(0, endsAt - Date.now())))
          if (!hasEnded()) await server.disturb()
        }
      })(),
      (async () => {
        while (!hasEnded()) {
          await Bun.sleep(Math.min(10_000, Math.max(0, endsAt - Date.now())))
          report(
            `${engine} ${Math.round((Date.now() - startedAt) / 1000)} s: ${tell(account)}, ${account.interruptions.length} disturbances, ${account.violations.length} violations`,
          )
        }
      })(),
    ])
    await judge(campaign, place, upstream)
    await server.stop()
  } finally {
    // Nothing may keep running, even after a failure.
    for (const member of server.members()) {
      member.kill('SIGKILL')
      await member.exited
    }
    await upstream.stop()
    await place.remove()
  }
  report(notifyAll(account))
  const kills = ['SIGKILL', 'SIGTERM', 'SIGSTOP', 'descriptors', 'writes', 'lock', 'database']
    .filter(kind => account.figures[kind] !== undefined)
    .map(kind => `${account.figures[kind] ?? 0} ${kind}`)
    .join(', ')
  const summary = `${engine}, ${processes} processes, seed ${seed}, ${minutes} minutes, ${kills}: ${tell(account)}; ${account.violations.length} violations`
  return { violations: account.violations, summary }
}

async function judge(
  { account, server, teams }: Campaign,
  place: Awaited<ReturnType<typeof createSurroundings>>,
  upstream: Awaited<ReturnType<typeof startUpstream>>,
): Promise<void> {
  for (const { adminUrl } of server.members()) {
    const figures = await waitUntilIdle(adminUrl, 30_000)
    if (figures.holds !== 0 || figures.slots !== 0)
      account.violate('holds and slots once idle', JSON.stringify(figures))
  }
  const { calls, trapped } = await upstream.read()
  if (trapped > 0) account.violate('an address was followed that nobody may follow', `${trapped} times`)
  account.count('faults met', calls.filter(({ fault }) => fault !== null).length)
  account.count('kinds of fault', new Set(calls.map(({ fault }) => fault)).size - 1)
  const byMark = groupByMark(calls)
  await judgeLedger(place, server.manage(), teams, account, byMark)
  await judgeLogbook(server.current().logbookUrl, server.manage(), teams, account)
  judgeWindows(account, byMark)
  judgeSlots(
    account,
    teams.flatMap(({ keys }) => keys),
    byMark,
  )
}

const alwaysReported = [
  'answers',
  'replays',
  'charges',
  'calls with a bill',
  'entries acknowledged',
  'faults met',
  'kinds of fault',
] as const

/** The main figures of every campaign; `notifyAll` has the others. */
function tell({ figures }: Account): string {
  return alwaysReported
    .filter(name => figures[name] !== undefined)
    .map(name => `${figures[name]} ${name}`)
    .join(', ')
}

function notifyAll({ figures }: Account): string {
  return Object.entries(figures)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ')
}
