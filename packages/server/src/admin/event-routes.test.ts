// suite: 6 s
// The event at the admin door: the effect of each action, its dry run, and outdated requests.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { eventSchema } from '@fairgate/contracts/management/event.ts'
import { actionReplySchema } from '@fairgate/contracts/management/planned-action.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { openAdminDoor, type Reply } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>

beforeEach(async () => {
  door = await openAdminDoor()
})
afterEach(() => door.close())

function readBody<Schema extends TSchema>(schema: Schema, { status, body }: Reply): Static<Schema> {
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const refused = (status: number, code: string, param: string | null) => ({
  status,
  body: { error: { code, param } },
})
const sendAction = async (path: string, body: object = {}, method: 'POST' | 'PUT' = 'POST') =>
  readBody(actionReplySchema, await door.post(path, body, method))
const show = async () => readBody(eventSchema, await door.get('/event'))

/** The test begins on 21 November 2026 at noon in UTC. */
const practice = { name: 'practice', from: '2026-11-21T06:00:00Z', until: '2026-11-21T11:00:00Z' }
const contest = { name: 'contest', from: '2026-11-21T11:00:00Z', until: '2026-11-21T18:00:00Z' }
const judging = { name: 'judging', from: '2026-11-21T18:00:00Z', gateway: 'closed', entries_until: '+45m' }
const setPhases = (...phases: object[]) => sendAction('/event/phases', { phases }, 'PUT')

test('before any setting is made, the gateway is open and there is nothing to show', async () => {
  expect(await show()).toMatchObject({
    name: '',
    time_zone: 'UTC',
    cap_nano: null,
    phase: null,
    gateway: 'open',
    phases: [],
    paused: null,
    ended: null,
    version: 0,
  })
})

test('named settings are changed, and audited with the reason', async () => {
  await sendAction('/event', { name: 'AI Cup', time_zone: 'Asia/Seoul', reason: 'opening' }, 'PUT')
  const { changes } = await sendAction('/event', { cap_nano: 900_000_000_000 }, 'PUT')
  expect(changes).toEqual([
    { what: 'event.cap_nano', subject: 'event', from: null, to: 900_000_000_000, count: 1 },
  ])
  expect(await show()).toMatchObject({ name: 'AI Cup', time_zone: 'Asia/Seoul', cap_nano: 900_000_000_000 })
  expect(await sendAction('/event', { cap_nano: null }, 'PUT')).toMatchObject({ changes: [{ to: null }] })
  const { body } = await door.get('/audit')
  expect(body).toMatchObject({
    items: [
      { action: 'event.set', before: { cap_nano: 900_000_000_000 }, after: { cap_nano: null } },
      { action: 'event.set' },
      { action: 'event.set', actor: 'admin', target: 'event', reason: 'opening', after: { name: 'AI Cup' } },
    ],
  })
})

test('an invalid value is refused by name and changes nothing', async () => {
  const put = (path: string, body: object) => door.post(path, body, 'PUT')
  expect(await put('/event', { time_zone: 'Seoul' })).toMatchObject(
    refused(400, 'invalid_request', 'time_zone'),
  )
  expect(await put('/event', { cap_nano: 0.5 })).toMatchObject(refused(400, 'invalid_request', 'cap_nano'))
  expect(await put('/event', { budget: 1 })).toMatchObject(refused(400, 'invalid_request', 'budget'))
  const phases = [{ ...contest, models: ['none'] }]
  expect(await put('/event/phases', { phases })).toMatchObject(
    refused(400, 'invalid_request', 'phases[0].models[0]'),
  )
  expect(await door.post('/event/extend', { by: 'a while' })).toMatchObject(
    refused(400, 'invalid_request', 'by'),
  )
  expect(await door.post('/event/end', { at: 'noon' })).toMatchObject(refused(400, 'invalid_request', 'at'))
  expect((await show()).version).toBe(0)
})

describe('a dry run', () => {
  test('shows the changes and the affected teams, and changes nothing', async () => {
    await door.post('/team/new', { team_id: 'red' })
    await door.post('/team/new', { team_id: 'blue', blocked: true })
    expect(await sendAction('/event/pause', { dry_run: true })).toMatchObject({
      applied: false,
      preview_id: expect.stringMatching(/^pv_[0-9a-f]{32}$/),
      changes: [{ what: 'event.paused', subject: 'event', from: false, to: true, count: 1 }],
      meets: { teams: 1, running_calls: 0, open_streams: 0 },
    })
    expect((await show()).paused).toBeNull()
  })

  test('returns the id that makes exactly that change', async () => {
    await setPhases(practice, contest, judging)
    const { preview_id, changes } = await sendAction('/event/extend', { by: '15m', dry_run: true })
    expect(changes.map(({ what, subject, to }) => [what, subject, to])).toEqual([
      ['phase.until', 'contest', '2026-11-21T18:15:00.000Z'],
      ['phase.from', 'judging', '2026-11-21T18:15:00.000Z'],
      ['phase.entries_until', 'judging', '2026-11-21T19:00:00.000Z'],
    ])
    // Time passes without any effect.
    door.time.now += 60_000
    expect(await sendAction('/event/extend', { by: '15m', preview_id })).toMatchObject({
      applied: true,
      changes,
    })
    const again = await door.post('/event/extend', { by: '15m', preview_id })
    expect(again).toMatchObject(refused(409, 'preview_outdated', null))
    expect((await show()).phases[1]?.until).toBe('2026-11-21T18:15:00.000Z')
  })
})

describe('phases', () => {
  test('are shown with the current phase and the next change', async () => {
    await setPhases(practice, contest, judging)
    expect(await show()).toMatchObject({
      phase: 'contest',
      gateway: 'open',
      changes_at: '2026-11-21T18:00:00.000Z',
      phases: [{ name: 'practice' }, { name: 'contest' }, { entries_until: '2026-11-21T18:45:00.000Z' }],
    })
  })

  test('based on an older version are refused', async () => {
    await setPhases(contest)
    const { version } = await show()
    await sendAction('/event/pause')
    const late = await door.post('/event/phases', { phases: [], version }, 'PUT')
    expect(late).toMatchObject(refused(409, 'conflict', 'version'))
  })

  test('that close the gateway or lock the boards at once need confirmation', async () => {
    const body = { phases: [practice, { ...judging, from: practice.until }] }
    const asked = await door.post('/event/phases', body, 'PUT')
    expect(asked).toMatchObject(refused(400, 'invalid_request', 'preview_id'))
    const { preview_id, warnings } = await sendAction('/event/phases', { ...body, dry_run: true }, 'PUT')
    expect(warnings).toEqual([
      'The gateway would be closed at once.',
      'The boards of all teams would be locked at once, as of 2026-11-21 11:00:00 +00:00 (UTC), which is in the past.',
    ])
    expect(await sendAction('/event/phases', { ...body, preview_id }, 'PUT')).toMatchObject({ applied: true })
    expect((await show()).gateway).toBe('closed')
  })

  // On the previous build, an end moved forward manually silently left 22 minutes in which entries counted as in time.
  test('that leave a gap name it and need confirmation, once', async () => {
    await setPhases(practice, contest, judging)
    const cut = [practice, { ...contest, until: '2026-11-21T17:38' }, judging]
    const asked = await door.post('/event/phases', { phases: cut }, 'PUT')
    expect(asked).toMatchObject(refused(400, 'invalid_request', 'preview_id'))
    const { preview_id, warnings } = await sendAction('/event/phases', { phases: cut, dry_run: true }, 'PUT')
    expect(warnings).toEqual([
      'No phase applies between "contest" (until 2026-11-21 17:38:00 +00:00 (UTC)) and "judging" (from 2026-11-21 18:00:00 +00:00 (UTC)): ' +
        'the gateway is closed and the boards are open, so entries still count as in time.',
    ])
    await sendAction('/event/phases', { phases: cut, preview_id }, 'PUT')
    const renamed = cut.map(phase => (phase.name === 'practice' ? { ...phase, name: 'warm-up' } : phase))
    expect((await sendAction('/event/phases', { phases: renamed, dry_run: true }, 'PUT')).warnings).toEqual(
      [],
    )
  })

  test('that begin a new budget period in the past need confirmation', async () => {
    const body = { phases: [{ ...contest, accounting: 'new' }] }
    const { warnings } = await sendAction('/event/phases', { ...body, dry_run: true }, 'PUT')
    expect(warnings).toEqual([expect.stringContaining('anything spent before would no longer count')])
  })

  test('are extended by name when they have an end, and refused otherwise', async () => {
    door.time.now = Date.parse('2026-11-21T18:02:00Z')
    const { preview_id } = await sendAction(
      '/event/phases',
      { phases: [contest, judging], dry_run: true },
      'PUT',
    )
    await sendAction('/event/phases', { phases: [contest, judging], preview_id }, 'PUT')
    const refusedExtension = await door.post('/event/extend', { by: '15m' })
    expect(refusedExtension).toMatchObject(refused(400, 'invalid_request', 'phase'))
    expect(JSON.stringify(refusedExtension.body)).toContain('contest')
    await sendAction('/event/extend', { by: '15m', phase: 'contest' })
    expect(await show()).toMatchObject({ phase: 'contest', gateway: 'open' })
    const unknown = await door.post('/event/extend', { by: '15m', phase: 'finals' })
    expect(unknown).toMatchObject(refused(400, 'invalid_request', 'phase'))
  })
})

test('a pause keeps its first reason until the event resumes', async () => {
  await sendAction('/event/pause', { reason: 'fire alarm' })
  expect((await sendAction('/event/pause', { reason: 'again' })).changes).toEqual([])
  expect(await show()).toMatchObject({ gateway: 'paused', paused: { reason: 'fire alarm' } })
  await sendAction('/event/resume')
  expect(await show()).toMatchObject({ gateway: 'open', paused: null })
  expect(await sendAction('/event/resume')).toMatchObject({ applied: true, changes: [] })
})

describe('a manual end', () => {
  const boards = async () => {
    const { body } = await door.get('/logs/boards')
    return body
  }

  test('closes the gateway and locks every board, including those of teams created later', async () => {
    await door.post('/team/new', { team_id: 'red' })
    const { preview_id, changes } = await sendAction('/event/end', { dry_run: true })
    expect(changes).toMatchObject([
      { what: 'event.ended', from: null, to: 'now' },
      { what: 'gateway', from: 'open', to: 'closed' },
      { what: 'boards', from: 'open', to: 'locked' },
    ])
    await sendAction('/event/end', { preview_id, reason: 'the end' })
    await door.post('/team/new', { team_id: 'blue' })
    expect(await boards()).toMatchObject({
      boards: [
        { team_id: 'blue', locked: true },
        { team_id: 'red', locked: true },
      ],
    })
    expect(await show()).toMatchObject({ gateway: 'closed', ended: { reason: 'the end' } })
    expect((await sendAction('/event/end')).changes).toEqual([])
    await sendAction('/event/reopen')
    expect(await boards()).toMatchObject({ boards: [{ locked: false }, { locked: false }] })
    expect((await show()).gateway).toBe('open')
  })

  test('accepts earlier entries for as long as the phases allow after their end', async () => {
    await setPhases(practice, contest, judging)
    const { preview_id, changes } = await sendAction('/event/end', { dry_run: true })
    expect(changes.at(-1)).toMatchObject({
      what: 'boards',
      to: 'locked, earlier entries accepted for 45 min',
    })
    // Time passes between the preview and the action.
    door.time.now += 7000
    await sendAction('/event/end', { preview_id })
    const { ended } = await show()
    expect(Date.parse(ended?.entries_until ?? '') - Date.parse(ended?.at ?? '')).toBe(45 * 60_000)
  })

  test('in the past needs confirmation', async () => {
    const at = '2026-11-21T11:00'
    const asked = await door.post('/event/end', { at })
    expect(asked).toMatchObject(refused(400, 'invalid_request', 'preview_id'))
    const { preview_id } = await sendAction('/event/end', { at, dry_run: true })
    await sendAction('/event/end', { at, preview_id })
    expect((await show()).ended?.at).toBe('2026-11-21T11:00:00.000Z')
  })

  test('leaves a board open that an organiser opens manually', async () => {
    await door.post('/team/new', { team_id: 'red' })
    await sendAction('/event/end')
    expect((await door.post('/team/unlock', { team_id: 'red' })).body).toMatchObject({ locked: false })
    await sendAction('/event/pause')
    expect(await boards()).toMatchObject({ boards: [{ locked: false }] })
  })
})
