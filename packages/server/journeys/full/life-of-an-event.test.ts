// suite: full on sqlite and postgres; 197 s
// The whole life of an event with 60 teams and 180 members, as one organiser types it: file, claim links, practice, contest, the big
// buttons, corrections, fair shares, the end to the millisecond, late entries, reports, and the money counted again from the charges.
//
// `EVENT_TRANSCRIPT=<file>` writes commands and output as Markdown, as shown in docs/run-an-event.md.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CallItem } from '@fairgate/contracts/calls/call.ts'
import type { OrganiserCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { ErrorBody } from '@fairgate/contracts/errors/registry.ts'
import type { Joined } from '@fairgate/contracts/join/join.ts'
import type { MadeClaims } from '@fairgate/contracts/management/claims.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type { ActionReply } from '@fairgate/contracts/management/planned-action.ts'
import type { CallPreview } from '@fairgate/contracts/spend/call-preview.ts'
import type { SpendProof } from '@fairgate/contracts/spend/spend-proof.ts'
import type { SpendReport } from '@fairgate/contracts/spend/spend-report.ts'
import { findFreePort } from '../testing/find-free-port.ts'
import { ingest, sampleEntry } from '../testing/logbook-client.ts'
import { createManagement, type Management } from '../testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from '../testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from '../testing/start-fairgate.ts'
import { runStored } from '../testing/stored-rows.ts'
import { Terminal } from '../testing/terminal.ts'

setDefaultTimeout(120_000)

const second = 1000
const minute = 60 * second
const nano = 1_000_000_000

const teams = Array.from({ length: 60 }, (_, index) => `team-${String(index + 1).padStart(2, '0')}`)
const membersPerTeam = 3
const teamAt = (index: number) => teams[index] ?? ''

/** A model with a small service-wide window. */
const scarcePerMinute = 220
const scarce = `  scarce:
    upstream_id: gemini-2.5-flash
    context_limit: 32768
    max_output: 8192
    typical_output: 100
    rpm_limit: ${scarcePerMinute}
    price: { input: 0.10, cached_input: 0.03, output: 0.40, reasoning: 0.40 }
`
const catalog = readFileSync(resolve(import.meta.dir, '../../../../config/models.yaml'), 'utf8')

/** Far enough ahead for a command and a few calls; further on a busy machine. */
let aheadMs = 6 * second

let place: Surroundings
let server: SpawnedFairgate
let manage: Management
let terminal: Terminal
const isShared = () => place.databaseUrl !== null

beforeAll(async () => {
  const [gateway, logbook, admin] = [findFreePort(), findFreePort(), findFreePort()]
  place = await createSurroundings({
    models: catalog.replace(/^models:\n/m, `models:\n${scarce}`),
    settings: 'drain_announce_seconds: 0',
    variables: {
      FAIRGATE_GATEWAY_PORT: String(gateway),
      FAIRGATE_LOGBOOK_PORT: String(logbook),
      FAIRGATE_ADMIN_PORT: String(admin),
      FAIRGATE_GATEWAY_URL: `http://127.0.0.1:${gateway}`,
      FAIRGATE_LOGBOOK_URL: `http://127.0.0.1:${logbook}`,
    },
  })
  const options = isShared() ? ['--processes', '2'] : []
  server = await spawnFairgate({ variables: place.variables, ownGroup: true, options })
  manage = createManagement(server.adminUrl, adminKey)
  terminal = new Terminal(place.folder, {
    FAIRGATE_ADMIN_URL: server.adminUrl,
    FAIRGATE_ADMIN_KEY: adminKey,
  })
}, 120_000)

afterAll(async () => {
  const { EVENT_TRANSCRIPT } = process.env
  if (EVENT_TRANSCRIPT !== undefined) writeFileSync(EVENT_TRANSCRIPT, terminal.transcript())
  server.kill('SIGTERM')
  await server.exited
  await place.remove()
}, 60_000)

/** Seoul time without an offset, as a person writes it into the file. */
const inSeoul = (moment: number) => new Date(moment + 9 * 60 * minute).toISOString().slice(0, -1)

type Plan = { readonly practice: number; readonly contest: number; readonly judging: number }

function writeFiles({ practice, contest, judging }: Plan): void {
  const members = teams.flatMap(team =>
    Array.from(
      { length: membersPerTeam },
      (_, index) => `${team},Member ${index + 1} of ${team},${team}-${index + 1}@example.org`,
    ),
  )
  writeFileSync(join(place.folder, 'members.csv'), `team,name,email\n${members.join('\n')}\n`)
  writeFileSync(
    join(place.folder, 'event.yaml'),
    `event: { name: AI Cup, time_zone: Asia/Seoul, budget: 900 }
limits: { team: { rpm: 300, tpm: 2000000 }, models: { mm-2.5-pro: { rpm: 20 } } }
members: members.csv
teams:
${teams.map((team, index) => `  - { id: ${team}, name: Team ${index + 1} }`).join('\n')}
phases:
  - { name: practice, from: ${inSeoul(practice)}, until: ${inSeoul(contest)}, budget: 2, models: [mm-2.5-flash] }
  - { name: contest, from: ${inSeoul(contest)}, until: ${inSeoul(judging)}, budget: 25, accounting: new }
  - { name: judging, from: ${inSeoul(judging)}, gateway: closed, entries_until: +45m }
`,
  )
}

const readEvent = async () => (await (await manage.call('GET', '/event')).json()) as EventRecord

/** Resolves when the server's clock shows `moment`. */
async function reach(moment: number): Promise<void> {
  for (;;) {
    if (Date.parse((await readEvent()).as_of) >= moment) return
  }
}

const membersOf = new Map<string, readonly Joined[]>()

function memberOf(team: string, index = 0): Joined {
  const member = membersOf.get(team)?.[index]
  if (member === undefined) throw new Error(`${team} has no member ${index}.`)
  return member
}

type Asked = {
  readonly model?: string
  readonly content?: string
  readonly stream?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Uses its own connection, so that each process gets its share. */
const chat = (key: string, { model = 'mm-2.5-flash', content = 'Hi', stream = false, headers }: Asked = {}) =>
  fetch(`${server.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    keepalive: false,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, stream, max_tokens: 16, messages: [{ role: 'user', content }] }),
  })

/** `ok`, or the code of the error. A stream is ok when it is whole. */
async function codeOf(response: Response): Promise<string> {
  const text = await response.text()
  if (!response.ok) return (JSON.parse(text) as ErrorBody).error.code
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  return isStream && !text.includes('[DONE]') ? 'cut off' : 'ok'
}

const codeFor = async (team: string, asked?: Asked) => await codeOf(await chat(memberOf(team).key, asked))

/** Often enough to reach every process. */
const codesFor = (team: string, asked?: Asked) =>
  Promise.all(Array.from({ length: 8 }, () => codeFor(team, asked)))

async function budgetsOf(team: string): Promise<Readonly<Record<string, CallPreview['budgets'][number]>>> {
  const response = await chat(memberOf(team).key, { headers: { 'x-gateway-dry-run': '1' } })
  const preview = (await response.json()) as CallPreview
  return Object.fromEntries(preview.budgets.map(budget => [budget.level, budget]))
}

/** Running calls that wait for the upstream. */
type StraddlingCalls = {
  readonly count: number
  /** Lets them finish; returns their codes. */
  readonly finish: () => Promise<string[]>
}

/** One for each of these teams, every second one a stream, and more until every process has one. Resolves when the upstream has all. */
async function startStraddlingCalls(from: readonly string[]): Promise<StraddlingCalls> {
  const release = place.holdUpstream()
  const { calls } = place.sandbox.counters()
  const content = 'Hello [[sandbox: firstByteDelayMs=1]]'
  const running: Promise<string>[] = []
  const start = async (team: string) => {
    running.push(codeFor(team, { content, stream: running.length % 2 === 1 }))
    while (place.sandbox.counters().calls < calls + running.length) await readEvent()
  }
  for (const team of from) await start(team)
  while ((await countBusyProcesses()) < (isShared() ? 2 : 1)) await start(from[0] ?? '')
  return {
    count: running.length,
    finish: async () => {
      release()
      return await Promise.all(running)
    },
  }
}

/** On SQLite there is one process, which shows only its own streams. */
async function countBusyProcesses(): Promise<number> {
  if (!isShared()) return 1
  return (await runStored(place, 'select distinct process_id from running_calls', [])).length
}

let contestFrom = 0

test('the file creates 60 teams and 180 members, and changes nothing when applied again', async () => {
  const now = Date.now()
  writeFiles({ practice: now - 10 * minute, contest: now + 120 * minute, judging: now + 600 * minute })
  terminal.note('Set up')
  expect(await terminal.type('apply', 'event.yaml', '--dry-run')).toContain('This would change:')
  expect(await manage.call('GET', '/team/list').then(reply => reply.json())).toEqual([])
  expect(await terminal.type('apply', 'event.yaml')).toContain('Done.')
  expect(await terminal.type('apply', 'event.yaml')).toBe('No changes.\n')
  const askedAt = performance.now()
  const again = await terminal.ask<ActionReply>('apply', 'event.yaml')
  aheadMs = Math.max(aheadMs, Math.ceil(6 * (performance.now() - askedAt)))
  expect(again).toMatchObject({ applied: true, changes: [], meets: { teams: 60 } })
  const exported = await terminal.ask<{ file: string }>('event', 'export')
  writeFileSync(join(place.folder, 'exported.yaml'), exported.file)
  expect(await terminal.type('apply', 'exported.yaml')).toBe('No changes.\n')
  await terminal.type('phase', 'list')
}, 120_000)

test("180 members join with their teams' links, each with a key and a log token", async () => {
  await terminal.type('handout', 'sheets.html', '--team', 'team-01', '--expires', '3d', '--title', 'AI Cup')
  const { items } = await terminal.ask<MadeClaims>('claim', 'create', '--all', '--expires', '3d')
  expect(items).toHaveLength(59)
  const sheet = readFileSync(join(place.folder, 'sheets.html'), 'utf8')
  const first = /https?:[^"<\s]*\/join\/\w+/.exec(sheet)?.[0] ?? ''
  const links = new Map([[teamAt(0), first], ...items.map(claim => [claim.team_id, claim.url] as const)])
  const joinAll = async (team: string) => {
    const url = links.get(team) ?? ''
    const people = (await (await manage.call('GET', `/people?team_id=${team}`)).json()) as {
      items: readonly { member_id: string }[]
    }
    const joined: Joined[] = []
    for (const { member_id } of people.items) {
      const form = new FormData()
      form.set('member', member_id)
      form.set('want', 'line')
      const page = await (await fetch(url, { method: 'POST', body: form })).text()
      const used = await fetch(`${server.gatewayUrl}/join/t/${/jt_\w+/.exec(page)?.[0]}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ laptop: randomBytes(16).toString('hex') }),
      })
      joined.push((await used.json()) as Joined)
    }
    membersOf.set(team, joined)
  }
  await inRows(teams, 10, joinAll)
  const all = [...membersOf.values()].flat()
  expect(new Set(all.map(({ key }) => key)).size).toBe(180)
  expect(new Set(all.map(({ log_token }) => log_token)).size).toBe(180)
  expect(new Set(all.map(({ member_id }) => member_id)).size).toBe(180)
  const first180 = await Promise.all(
    all.map(async ({ log_token, name }) => {
      const entry = { ...sampleEntry, ts: new Date().toISOString(), student: name }
      return (await ingest(server.logbookUrl, log_token, [entry])).status
    }),
  )
  expect(first180.filter(status => status === 202)).toHaveLength(180)
  expect(await terminal.type('claim', 'list', 'team-01')).toContain('team-01')
}, 120_000)

/** Runs `count` queues in parallel, each one item after the other. */
async function inRows<Item>(items: readonly Item[], count: number, run: (item: Item) => Promise<void>) {
  const waiting = [...items]
  const row = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: count }, row))
}

test('practice: all members make calls, with the budget and models of the phase', async () => {
  terminal.note('Practice')
  await terminal.type('phase', 'now')
  const codes: string[] = []
  await inRows([...membersOf.values()].flat(), 12, async ({ key }) => {
    codes.push(await codeOf(await chat(key)))
  })
  expect(codes.filter(code => code === 'ok')).toHaveLength(180)
  expect(await codeFor('team-01', { model: 'mm-2.5-pro' })).toBe('model_not_allowed')
  const { team, event } = await budgetsOf('team-01')
  expect([team?.limit_nano, event?.limit_nano]).toEqual([2 * nano, 900 * nano])
  expect(team?.spent_nano).toBeGreaterThan(0)
})

test('the contest starts a new budget to the millisecond, and calls that span its start are charged to practice', async () => {
  terminal.note('The contest begins earlier than planned: its times are changed in the file')
  contestFrom = Date.now() + aheadMs
  writeFiles({
    practice: contestFrom - 20 * minute,
    contest: contestFrom,
    judging: contestFrom + 480 * minute,
  })
  await terminal.type('apply', 'event.yaml', '--reason', 'all are ready')
  const straddling = await startStraddlingCalls(teams.slice(0, 6))
  expect(Date.now()).toBeLessThan(contestFrom)
  const held = (await budgetsOf('team-01')).team
  expect(held?.held_nano).toBeGreaterThan(0)
  await reach(contestFrom)
  expect(await codeFor('team-07', { model: 'mm-2.5-pro' })).toBe('ok')
  const before = (await budgetsOf('team-01')).team
  expect(before).toMatchObject({ limit_nano: 25 * nano, spent_nano: 0 })
  expect(new Set(await straddling.finish())).toEqual(new Set(['ok']))
  const after = (await budgetsOf('team-01')).team
  expect(after).toMatchObject({ limit_nano: 25 * nano, spent_nano: 0, held_nano: 0 })
  await terminal.type('phase', 'now')
})

test('pause stops all teams, extend makes up for it, resume continues', async () => {
  terminal.note('A fire alarm')
  const plannedEnd = (await readEvent()).phases[1]?.until
  await terminal.type('event', 'pause', '--reason', 'fire alarm')
  expect(new Set(await codesFor('team-02'))).toEqual(new Set(['event_paused']))
  await terminal.type('event', 'extend', '15m', '--reason', 'fire alarm')
  await terminal.type('event', 'resume')
  expect(new Set(await codesFor('team-02'))).toEqual(new Set(['ok']))
  const { phases } = await readEvent()
  expect(Date.parse(phases[1]?.until ?? '') - Date.parse(plannedEnd ?? '')).toBe(15 * minute)
  expect(phases[2]?.from).toBe(phases[1]?.until ?? '')
})

const playing = teams.slice(49)
const loops = teamAt(49)
const warmUpMs = 60 * second
const lengthMs = 60 * second
let race: Promise<Map<string, number>>

/** Each of eleven teams calls the scarce model all the time. Returns how many calls of each were answered after the warm-up. */
async function runRace(): Promise<Map<string, number>> {
  const endsAt = performance.now() + warmUpMs + lengthMs
  const answered = new Map<string, number>()
  const work = async (team: string, key: string) => {
    while (performance.now() < endsAt) {
      const response = await chat(key, { model: 'scarce' })
      const code = await codeOf(response)
      const now = performance.now()
      if (code === 'ok' && now >= endsAt - lengthMs && now < endsAt)
        answered.set(team, (answered.get(team) ?? 0) + 1)
      if (code !== 'ok' && code !== 'rpm_exceeded') throw new Error(`${team}: ${code}`)
      const retryAfterMs = Number(response.headers.get('retry-after') ?? 1) * second
      await Bun.sleep(code === 'ok' ? 200 : team === loops ? 20 : retryAfterMs)
    }
  }
  const workersOf = (team: string) => (team === loops ? 40 : 8)
  await Promise.all(
    playing.flatMap(team =>
      Array.from({ length: workersOf(team) }, (_, index) => work(team, memberOf(team, index % 3).key)),
    ),
  )
  return answered
}

test('a grant to all raises every budget by its amount', async () => {
  race = runRace()
  // It is awaited below: until then a failure must not end the run.
  race.catch(() => undefined)
  terminal.note('The network was slow: 10 USD more for all')
  const before = (await budgetsOf('team-09')).team
  await terminal.type('grant', '--all', '10', '--reason', 'the network was slow')
  for (const team of teams) {
    const { team: budget } = await budgetsOf(team)
    expect(budget?.limit_nano).toBe(35 * nano)
  }
  const after = (await budgetsOf('team-09')).team
  expect((after?.left_nano ?? 0) - (before?.left_nano ?? 0)).toBe(10 * nano)
})

test('a refund returns the cost of a call, once', async () => {
  terminal.note('The upstream gave one team a useless answer')
  expect(await codeFor('team-03')).toBe('ok')
  const list = await terminal.ask<OrganiserCallsPage>('call', 'list', 'team-03', '--limit', '1')
  const call: CallItem | undefined = list.items[0]
  const spent = (await budgetsOf('team-03')).team?.spent_nano ?? 0
  await terminal.type('refund', call?.call_id ?? '', '--reason', 'a useless answer')
  const left = (await budgetsOf('team-03')).team?.spent_nano ?? 0
  expect(spent - left).toBe(call?.cost_nano ?? 0)
  expect(call?.cost_nano).toBeGreaterThan(0)
})

test("the forecast shows how long a team's budget lasts", async () => {
  await terminal.type('spend', 'forecast', 'team-03')
})

test('a looping team takes no more than its share of a scarce model', async () => {
  const counts = await race
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  console.log(`${all} of ${scarcePerMinute}: ${JSON.stringify(Object.fromEntries(counts))}`)
  const fair = scarcePerMinute / playing.length
  expect(all).toBeGreaterThanOrEqual(0.95 * scarcePerMinute)
  // Each process is fair to the calls that reach it, and the loop has calls waiting at each.
  expect(counts.get(loops) ?? 0).toBeLessThanOrEqual((isShared() ? 3 : 1.5) * fair)
  for (const team of playing.slice(1)) expect(counts.get(team) ?? 0).toBeGreaterThanOrEqual(0.7 * fair)
}, 200_000)

type Timed = { readonly sentAt: number; readonly gotAt: number; readonly code: string }

/** Calls without a pause from multiple teams, each until it is refused with `code`. */
async function callUntil(code: string, from: readonly string[]): Promise<Timed[]> {
  const times: Timed[] = []
  await Promise.all(
    from.map(async team => {
      for (let last = ''; last !== code; ) {
        const sentAt = Date.now()
        last = await codeFor(team)
        times.push({ sentAt, gotAt: Date.now(), code: last })
      }
    }),
  )
  return times
}

/** Checks that admitted calls were sent before `moment`, and refusals were answered after it. */
function expectParted(times: readonly Timed[], moment: number): void {
  const admitted = times.filter(({ code }) => code === 'ok')
  const refused = times.filter(({ code }) => code === 'contest_closed')
  expect(admitted.length + refused.length).toBe(times.length)
  expect(admitted.length).toBeGreaterThan(0)
  const lastAdmitted = Math.max(...admitted.map(({ sentAt }) => sentAt))
  const firstRefused = Math.min(...refused.map(({ gotAt }) => gotAt))
  console.log(
    `${admitted.length} calls in the last second; the last admitted one was sent ${moment - lastAdmitted} ms before the end, the first refusal came ${firstRefused - moment} ms after it`,
  )
  // Two processes read the clock: at the turn of a millisecond they may differ by one.
  expect(lastAdmitted).toBeLessThanOrEqual(moment)
  expect(firstRefused).toBeGreaterThanOrEqual(moment)
}

const straddlingEnd = teams.slice(20, 26)

/** Makes calls that start before `moment` and run past it, and calls without a pause from the teams `rushing`. */
async function crossTheEnd(moment: number, rushing: readonly string[]): Promise<void> {
  // A fast machine makes more calls in the last second than a team can make in a minute.
  for (const team_id of rushing)
    await manage.post('/team/update', { team_id, rpm_limit: 1_000_000, tpm_limit: 1_000_000_000 })
  const straddling = await startStraddlingCalls(straddlingEnd)
  expect(Date.now()).toBeLessThan(moment)
  const chargesOf = async () => {
    const [row] = await runStored<{ count: number }>(
      place,
      `select count(*) as count from charges where team_id in (${straddlingEnd.map(() => '?').join(', ')})`,
      straddlingEnd,
    )
    return Number(row?.count)
  }
  const before = await chargesOf()
  await reach(moment - second)
  expectParted(await callUntil('contest_closed', rushing), moment)
  expect(new Set(await codesFor('team-01'))).toEqual(new Set(['contest_closed']))
  expect(await chargesOf()).toBe(before)
  expect(new Set(await straddling.finish())).toEqual(new Set(['ok']))
  expect(await chargesOf()).toBe(before + straddling.count)
}

test('end closes gateway and boards to the millisecond, and reopen undoes it', async () => {
  terminal.note('A dispute: everything stops at an announced time')
  const endedAt = Date.now() + aheadMs
  await terminal.type('event', 'end', '--at', inSeoul(endedAt), '--reason', 'a dispute')
  await crossTheEnd(endedAt, teams.slice(10, 16))
  const send = (moment: number) =>
    ingest(server.logbookUrl, memberOf('team-04').log_token, [
      { ...sampleEntry, ts: new Date(moment).toISOString() },
    ])
  // Earlier entries are accepted within the grace period of the phases.
  expect(await codeOf(await send(endedAt - 1))).toBe('ok')
  expect(await codeOf(await send(endedAt))).toBe('locked')
  await terminal.type('event', 'show')
  await terminal.type('event', 'reopen', '--reason', 'settled')
  expect(new Set(await codesFor('team-01'))).toEqual(new Set(['ok']))
})

let contestUntil = 0

test('the contest ends to the millisecond: calls that span its end are charged, later ones refused', async () => {
  terminal.note('The end of the contest is moved in the file')
  contestUntil = Date.now() + aheadMs
  writeFiles({ practice: contestFrom - 20 * minute, contest: contestFrom, judging: contestUntil })
  await terminal.type('apply', 'event.yaml', '--reason', 'the last round is shorter')
  await crossTheEnd(contestUntil, teams.slice(30, 36))
  await terminal.type('phase', 'now')
})

test('entries from before the end are accepted during the grace period, marked late, and not after it', async () => {
  const { log_token: token } = memberOf('team-05')
  const send = async (...moments: readonly number[]) =>
    await ingest(
      server.logbookUrl,
      token,
      moments.map(moment => ({ ...sampleEntry, ts: new Date(moment).toISOString() })),
    )
  const mixed = await send(contestUntil - 1, contestUntil)
  expect([mixed.status, await mixed.json()]).toMatchObject([
    202,
    { stored: 1, rejected: [{ index: 1, code: 'locked' }] },
  ])
  expect(await codeOf(await send(contestUntil))).toBe('locked')
  terminal.note('Enough entries have arrived: the grace period is ended')
  await reach(contestUntil + second)
  await terminal.type('phase', 'set', 'judging', '--entries-until', '+1s', '--yes')
  expect(await codeOf(await send(contestUntil - 2))).toBe('locked')
  const listed = (await (await manage.call('GET', '/logs/entries?team_id=team-05')).json()) as {
    items: readonly { late?: boolean }[]
  }
  expect(listed.items.map(({ late }) => late === true)).toEqual([true, false, false, false])
  expect(await terminal.type('logs', 'verify', 'team-05')).toContain('team-05')
})

type Row = { readonly team_id: string; readonly cost_nano: number; readonly admitted_at: number }

const sum = (rows: readonly { readonly cost_nano: number }[]) =>
  rows.reduce((total, { cost_nano: cost }) => total + cost, 0)

test('every total is the sum of the charges: of each team, of each phase, and of the event', async () => {
  terminal.note('Afterwards')
  const charges = (
    await runStored<Row>(place, 'select team_id, cost_nano, admitted_at from charges', [])
  ).map(row => ({ ...row, cost_nano: Number(row.cost_nano), admitted_at: Number(row.admitted_at) }))
  const refunds = (
    await runStored<{ team_id: string; amount_nano: number }>(
      place,
      "select team_id, amount_nano from adjustments where kind <> 'grant'",
      [],
    )
  ).map(row => ({ team_id: row.team_id, cost_nano: Number(row.amount_nano) }))
  expect(refunds).toHaveLength(1)
  const inPractice = charges.filter(({ admitted_at: at }) => at < contestFrom)
  const inContest = [...charges.filter(({ admitted_at: at }) => at >= contestFrom), ...refunds]
  for (const team of teams) {
    const own = inContest.filter(row => row.team_id === team)
    const { team_info: info } = await manage.teamInfo(team)
    expect([team, Math.round(info.spend * nano)]).toEqual([team, sum(own)])
  }
  const report = async (query: string) => {
    const reply = await manage.call('GET', `/spend?by=team&limit=500${query}`)
    return (await reply.json()) as SpendReport
  }
  const start = encodeURIComponent(new Date(contestFrom).toISOString())
  expect((await report(`&until=${start}`)).total.cost_nano).toBe(sum(inPractice))
  expect((await report(`&from=${start}`)).total.cost_nano).toBe(sum(inContest))
  const whole = await report('')
  const all = [...charges, ...refunds]
  expect(whole.total.cost_nano).toBe(sum(all))
  for (const { team_id: team, cost_nano: cost } of whole.items)
    expect([team, cost]).toEqual([team, sum(all.filter(({ team_id }) => team_id === team))])
  const [event] = await runStored<{ spent: number }>(
    place,
    "select sum(spent_nano) as spent from totals where owner = 'event'",
    [],
  )
  expect(Number(event?.spent)).toBe(sum(inPractice) + sum(inContest))
  const proof = await terminal.ask<SpendProof>('spend', 'verify')
  expect(proof).toMatchObject({ ok: true, wrong_count: 0 })
  expect(proof.teams).toBe(60)
  await terminal.type('spend', 'verify')
})

/** Splits a line of CSV. Cells must not contain line breaks. */
const readCells = (line: string) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

test('the reports answer, and the CSV contains every charge', async () => {
  await terminal.type('spend', 'top', '--limit', '5')
  await terminal.type('spend', 'by-model')
  await terminal.type('spend', 'by-key', '--limit', '3')
  await terminal.type('spend', 'refusals')
  await terminal.type('spend', 'over-time', '--by', '5m', '--time-zone', 'Asia/Seoul')
  await terminal.type('spend', 'calls', 'team-03', '--limit', '3')
  await terminal.type('spend', 'export', '--csv', '--output', 'spend.csv')
  const [header = '', ...rows] = readFileSync(join(place.folder, 'spend.csv'), 'utf8').trim().split(/\r?\n/)
  const column = readCells(header).indexOf('cost_nano')
  const exported = rows.reduce((total, row) => total + Number(readCells(row)[column]), 0)
  const { total } = await terminal.ask<SpendReport>('spend', 'top')
  expect(exported).toBe(total.cost_nano)
}, 60_000)
