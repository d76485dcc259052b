// An event on a whole server: the file is applied, phases open and close calls and entries to the millisecond, and the big buttons work.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { ErrorBody } from '@fairgate/contracts/errors/registry.ts'
import type { TeamInfo } from '@fairgate/contracts/info/team-record.ts'
import type { IngestReply } from '@fairgate/contracts/logbook/ingest.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type { ActionReply } from '@fairgate/contracts/management/planned-action.ts'
import { ingest, sampleEntry } from './testing/logbook-client.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

/** As in docs/run-an-event.md. */
const file = `event: { name: AI Cup, time_zone: Asia/Seoul, budget: 900 }
limits: { team: { rpm: 300, tpm: 2000000 }, models: { mm-2.5-pro: { rpm: 20 } } }
teams:
  - { id: red, name: Red Pandas, members: [{ name: Haeun, email: haeun@example.org }, { name: Jun, email: jun@example.org }] }
  - { id: blue, name: Blue Hour, members: [{ name: Mira, email: mira@example.org }] }
phases:
  - { name: practice, from: 2026-11-20T13:00, until: 2026-11-21T10:00, budget: 2, models: [mm-2.5-flash] }
  - { name: contest, from: 2026-11-21T10:00, until: 2026-11-21T18:00, budget: 25, accounting: new }
  - { name: judging, from: 2026-11-21T18:00, gateway: closed, entries_until: +45m }
`

/** Time in Seoul. */
const at = (time: string) => Date.parse(`${time}+09:00`)
const clock = { now: at('2026-11-20T12:00:00') }
let fairgate: Fairgate
let key: string
let token: string

beforeAll(async () => {
  fairgate = await startFairgate({}, () => clock.now)
  const { post, call, key: newKey, token: newToken } = fairgate.manage
  const preview = await post<ActionReply>('/event/apply', { file, dry_run: true })
  expect(preview.warnings).toEqual(['The gateway would be closed at once.'])
  await post<ActionReply>('/event/apply', { file, preview_id: preview.preview_id })
  expect((await call('GET', '/event')).status).toBe(200)
  key = await newKey('red')
  token = (await newToken('red')).token
}, 300_000)
afterAll(() => fairgate.stop())

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const messages = [{ role: 'user', content: 'Hello' }]
const chat = (model = 'mm-2.5-flash') => post('/v1/chat/completions', { model, messages, max_tokens: 16 })
const codeOf = async (response: Response) => {
  if (response.ok) {
    await response.body?.cancel()
    return 'ok'
  }
  return ((await response.json()) as ErrorBody).error.code
}
const chatAt = async (time: string, model?: string) => {
  clock.now = at(time)
  return await codeOf(await chat(model))
}
const spendOf = async (teamId: string) => (await fairgate.manage.teamInfo(teamId)).team_info.spend

/** The team sees the budget that applies; the organiser also sees the team's own. */
const budgetShown = async () => {
  const shown = await fetch(`${fairgate.gatewayUrl}/team/info?team_id=red`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { team_info: seen } = (await shown.json()) as TeamInfo
  const { team_info: own } = await fairgate.manage.teamInfo('red')
  const teams = (await (await fairgate.manage.call('GET', '/teams?team_id=red')).json()) as TeamsReply
  expect(teams.items[0]?.budget_nano).toBe((own.current_budget ?? 0) * 1e9)
  expect(seen.current_budget).toBe(seen.max_budget)
  return { team: seen.max_budget, organiser: own.max_budget, applies: own.current_budget }
}

test('a second apply changes nothing, and an organiser sees the phases', async () => {
  const again = await fairgate.manage.post<ActionReply>('/event/apply', { file })
  expect(again).toMatchObject({ applied: true, changes: [] })
  const event = (await (await fairgate.manage.call('GET', '/event')).json()) as EventRecord
  expect(event).toMatchObject({ gateway: 'closed', phase: null, changes_at: '2026-11-20T04:00:00.000Z' })
})

test('phases switch to the millisecond, and each starts its own budget', async () => {
  expect(await chatAt('2026-11-20T12:59:59.999')).toBe('contest_closed')
  expect(await chatAt('2026-11-20T13:00:00.000')).toBe('ok')
  expect(await chatAt('2026-11-20T13:01:00', 'mm-2.5-pro')).toBe('model_not_allowed')
  const inPractice = await spendOf('red')
  expect(inPractice).toBeGreaterThan(0)
  expect(await budgetShown()).toEqual({ team: 2, organiser: null, applies: 2 })
  await fairgate.manage.post('/team/red/grant', { amount_nano: 1_000_000_000, reason: 'An outage' })
  expect(await budgetShown()).toEqual({ team: 3, organiser: null, applies: 3 })
  expect(await chatAt('2026-11-21T09:59:59.999')).toBe('ok')
  clock.now = at('2026-11-21T10:00:00.000')
  expect(await budgetShown()).toEqual({ team: 25, organiser: null, applies: 25 })
  expect(await spendOf('red')).toBe(0)
  expect(await chatAt('2026-11-21T10:00:00.000', 'mm-2.5-pro')).toBe('ok')
  expect(await spendOf('red')).toBeGreaterThan(0)
})

test('a call that was admitted before the end finishes and is charged', async () => {
  clock.now = at('2026-11-21T17:59:59.999')
  const before = await spendOf('red')
  const release = fairgate.holdUpstream()
  const { calls } = fairgate.sandbox.counters()
  const running = post('/v1/chat/completions', {
    model: 'mm-2.5-flash',
    messages: [{ role: 'user', content: 'Hello [[sandbox: firstByteDelayMs=1]]' }],
    max_tokens: 16,
  })
  while (fairgate.sandbox.counters().calls === calls) await Bun.sleep(2)
  clock.now = at('2026-11-21T18:00:00.000')
  expect(await codeOf(await chat())).toBe('contest_closed')
  release()
  expect(await codeOf(await running)).toBe('ok')
  expect(await spendOf('red')).toBeGreaterThan(before)
})

describe('after the end', () => {
  const message =
    'The contest ended at 2026-11-21 18:00:00 +09:00 (Asia/Seoul): the gateway no longer accepts paid calls.'

  // Before, teams read "No budget is set" and the wall counted 0 calls.
  test('budget, spend and number of calls stay as they were', async () => {
    clock.now = at('2026-11-21T18:00:01')
    expect(await budgetShown()).toEqual({ team: 25, organiser: null, applies: 25 })
    expect(await spendOf('red')).toBeGreaterThan(0)
    const teams = (await (await fairgate.manage.call('GET', '/teams?team_id=red')).json()) as TeamsReply
    expect(teams.items[0]?.calls).toBeGreaterThan(0)
  })

  test('each dialect reports the event times in its own form', async () => {
    clock.now = at('2026-11-21T18:00:01')
    const chatError = await chat()
    expect([chatError.status, await chatError.json()]).toEqual([
      403,
      { error: { message, type: 'permission_error', param: null, code: 'contest_closed' } },
    ])
    const ofMessages = await post('/v1/messages', { model: 'mm-2.5-flash', messages, max_tokens: 16 })
    expect([ofMessages.status, await ofMessages.json()]).toMatchObject([
      403,
      { type: 'error', error: { type: 'permission_error', message } },
    ])
    const codex = { originator: 'codex_cli_rs' }
    const ofResponses = await post('/v1/responses', { model: 'mm-2.5-flash', input: 'Hello' }, codex)
    expect([ofResponses.status, await ofResponses.json()]).toMatchObject([
      404,
      { error: { code: 'contest_closed', message } },
    ])
    const ofVendor = await post(
      '/vendor/v1beta/models/mm-2.5-flash:generateContent',
      { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
      { 'x-vendor-api-key': key },
    )
    expect([ofVendor.status, await ofVendor.json()]).toMatchObject([
      403,
      { error: { status: 'PERMISSION_DENIED', message, details: [{ reason: 'contest_closed' }] } },
    ])
  })

  test('information calls keep working, and refusals are recorded', async () => {
    const get = async (path: string) =>
      (await fetch(`${fairgate.gatewayUrl}${path}`, { headers: { authorization: `Bearer ${key}` } })).status
    expect(await Promise.all(['/key/info', '/team/info?team_id=red', '/v1/models'].map(get))).toEqual([
      200, 200, 200,
    ])
    let seen: unknown
    do {
      seen = await (await fairgate.manage.call('GET', '/calls?team_id=red&outcome=refused')).json()
    } while (!JSON.stringify(seen).includes('contest_closed'))
    expect(seen).toBeDefined()
  })
})

describe('the big buttons', () => {
  test('extend reopens the contest, pause stops it, resume continues it', async () => {
    clock.now = at('2026-11-21T18:05:00')
    await fairgate.manage.change('POST', '/event/extend', { by: '15m', phase: 'contest' })
    expect(await codeOf(await chat())).toBe('ok')
    await fairgate.manage.change('POST', '/event/pause', { reason: 'fire alarm' })
    expect(await codeOf(await chat())).toBe('event_paused')
    await fairgate.manage.change('POST', '/event/resume')
    expect(await chatAt('2026-11-21T18:14:59.999')).toBe('ok')
    expect(await chatAt('2026-11-21T18:15:00.000')).toBe('contest_closed')
  })

  test('ending by hand closes the gateway and the boards at once', async () => {
    await fairgate.manage.change('POST', '/event/extend', { by: '1h', phase: 'contest' })
    expect(await codeOf(await chat())).toBe('ok')
    await fairgate.manage.change('POST', '/event/end', { reason: 'the end' })
    expect(await codeOf(await chat())).toBe('contest_closed')
    await fairgate.manage.change('POST', '/event/reopen')
    expect(await codeOf(await chat())).toBe('ok')
  })
})

// Boards are locked by the database's clock, which tests cannot set, so the phases are placed around the current time.
test('only entries from before the end are accepted during the grace period, marked late', async () => {
  const minute = 60_000
  const end = Date.now() - minute
  const iso = (moment: number) => new Date(moment).toISOString()
  const setGrace = (grace: string) =>
    fairgate.manage.change('PUT', '/event/phases', {
      phases: [
        { name: 'contest', from: iso(end - 60 * minute), until: iso(end) },
        { name: 'judging', from: iso(end), gateway: 'closed', entries_until: grace },
      ],
    })
  const send = async (...moments: number[]) =>
    await ingest(
      fairgate.logbookUrl,
      token,
      moments.map(moment => ({ ...sampleEntry, ts: iso(moment) })),
    )
  await fairgate.manage.change('PUT', '/event/phases', { phases: [] })
  expect((await send(end - 3 * minute)).status).toBe(202)
  await setGrace('+45m')
  const mixed = await send(end - 2, end, end - 1)
  expect([mixed.status, await mixed.json()]).toMatchObject([
    202,
    { received: 3, stored: 2, duplicates: 0, rejected: [{ index: 1, code: 'locked' }] } satisfies Partial<
      Omit<IngestReply, 'rejected'>
    > & { rejected: unknown },
  ])
  const after = await send(end)
  expect([after.status, await codeOf(after)]).toEqual([403, 'locked'])
  const listed = await (await fairgate.manage.call('GET', '/logs/entries?team_id=red')).json()
  expect(listed).toMatchObject({ items: [{ late: true }, { late: true }, { seq: 1 }] })
  expect(JSON.stringify(listed).match(/"late"/g)).toHaveLength(2)
  expect((await fairgate.manage.verifyLog('red')).ok).toBe(true)
  await setGrace('+30s')
  const tooLate = await send(end - 4)
  expect([tooLate.status, await codeOf(tooLate)]).toEqual([403, 'locked'])
})
