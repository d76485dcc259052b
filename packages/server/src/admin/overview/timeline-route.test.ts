// A team's calls, refusals, entries and organiser actions in one order, over pages that skip none and repeat none.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  type TimelineReply,
  timelineKinds,
  timelineReplySchema,
} from '@fairgate/contracts/console/timeline.ts'
import { Value } from 'typebox/value'
import { buildAuditEntry } from '../../store/testing/build-directory-rows.ts'
import { buildEntryToAppend, packTestEntries, sender } from '../../store/testing/build-entry-to-append.ts'
import {
  buildAdjustment,
  buildCallFacts,
  buildCallRecord,
  buildCharge,
  buildGrant,
} from '../../store/testing/build-ledger-rows.ts'
import { charge } from '../../store/testing/suite/store-actions.ts'
import { openAdminDoor } from '../testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  await door.post('/team/new', { team_id: 'red' })
  door.time.now = at('12:00:00')
})
afterEach(() => door.close())

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`)

let numbers = 0
function idAt(unixMs: number): string {
  numbers += 1
  const hex = unixMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${numbers.toString(16).padStart(12, '0')}`
}

async function call(time: string): Promise<void> {
  const admittedAt = at(time)
  const times = { admittedAt, settledAt: admittedAt + 500 }
  await charge(
    door.store,
    buildCharge(idAt(admittedAt), { teamId: 'red', ...times, facts: buildCallFacts() }),
  )
}

async function refuse(time: string): Promise<void> {
  const receivedAt = at(time)
  const refused = {
    teamId: 'red',
    outcome: 'refused',
    code: 'rpm_exceeded',
    count: 3,
    modelServed: null,
  } as const
  await door.store.write.recordCalls({
    calls: [buildCallRecord(idAt(receivedAt), { ...refused, receivedAt })],
  })
}

async function log(...times: readonly string[]): Promise<void> {
  const entries = times.map(time => buildEntryToAppend(time, { tsMicros: at(time) * 1000 }))
  await door.store.write.appendEntries({
    now: at('11:59:00'),
    requests: [{ teamId: 'red', sender, entries: packTestEntries(entries) }],
  })
}

async function timeline(query = ''): Promise<TimelineReply> {
  const { status, body } = await door.get(`/timeline?team_id=red${query}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return Value.Parse(timelineReplySchema, body)
}

const show = ({ items }: Pick<TimelineReply, 'items'>) =>
  items.map(({ kind, at: time }) => `${kind} ${time.slice(11, 19)}`)

async function correct(kind: 'grant' | 'adjust', time: string, amount: number, id: string): Promise<void> {
  const { read, write } = door.store
  const facts = { team_id: 'red', at: at(time), amount_nano: amount, reason: `for ${id}` }
  const audit = buildAuditEntry(`spend.${kind}`)
  if (kind === 'adjust') {
    await write.writeAdjustment({ adjustment: buildAdjustment(id, facts), audit, slot: 0, seenLeft: null })
    return
  }
  const { teams } = await read.readDirectory({ after: null })
  const seen = teams.find(({ team_id }) => team_id === 'red')?.version ?? 0
  const grant = { adjustment: buildGrant(id, facts), granted: amount, seen }
  expect(await write.grantTeams({ grants: [grant], audit: [audit] })).toMatchObject({ kind: 'written' })
}

async function announce(time: string, text: string, teams: 'all' | string[] = 'all'): Promise<void> {
  expect(await door.post('/announcements', { text, teams, from: `2026-11-21T${time}Z` })).toMatchObject({
    status: 200,
  })
}

async function setPhases(...starts: readonly string[]): Promise<void> {
  const phases = starts.map((time, index) => ({ name: `phase ${index}`, from: `2026-11-21T${time}Z` }))
  const ended = phases.map((phase, index) => ({ ...phase, until: phases[index + 1]?.from ?? null }))
  expect(await door.post('/event/phases', { phases: ended }, 'PUT')).toMatchObject({ status: 200 })
}

const all = [
  'entry 11:40:00',
  'refusal 11:35:00',
  'call 11:30:00',
  'entry 11:21:00',
  'entry 11:20:00',
  'call 11:10:00',
  'call 11:09:00',
  'entry 11:00:00',
]

async function fill(): Promise<void> {
  for (const time of ['11:09:00', '11:10:00', '11:30:00']) await call(time)
  await refuse('11:35:00')
  await log('11:00:00', '11:20:00', '11:21:00', '11:40:00')
}

test('calls, refusals and entries are sorted by time', async () => {
  expect(await timeline()).toMatchObject({ items: [], next: null })
  await fill()
  const whole = await timeline()
  expect(show(whole)).toEqual(all)
  expect(whole.next).toBeNull()
  expect(whole.items[0]).toMatchObject({
    event: 'Stop',
    session_id: 'session-1',
    cost_nano: null,
    ref: 'red#4',
  })
  expect(whole.items[1]).toMatchObject({ count: 3, event: null, model: 'model-1' })
  expect(whole.items[2]).toMatchObject({ cost_nano: 10, duration_ms: 500, model: 'model-1' })
})

test('pages of any length skip none and repeat none, of each kind', async () => {
  await fill()
  const kinds = ['', 'call', 'refusal', 'entry']
  for (const kind of kinds)
    for (let limit = 1; limit <= all.length; limit += 1) {
      const seen: string[] = []
      let after = ''
      for (let pages = 0; pages < 20; pages += 1) {
        const page = await timeline(`&limit=${limit}${kind === '' ? '' : `&kind=${kind}`}${after}`)
        seen.push(...show(page))
        if (page.next === null) break
        after = `&after=${page.next}`
      }
      expect({ kind, limit, seen }).toEqual({ kind, limit, seen: all.filter(one => one.startsWith(kind)) })
    }
})

test('grants, corrections, phases and announcements are included, and pages of any length keep them all', async () => {
  await fill()
  await correct('grant', '11:31:00', 5, 'more')
  await correct('grant', '11:31:00', 7, 'again')
  await correct('adjust', '11:10:00', 3, 'slip')
  await setPhases('11:05:00', '11:31:00', '13:00:00')
  await announce('11:31:00', 'Lunch')
  await door.post('/team/new', { team_id: 'blue' })
  await announce('11:32:00', 'For blue alone', ['blue'])
  await announce('12:30:00', 'Not yet')
  const whole = await timeline()
  expect(whole.next).toBeNull()
  const actions = whole.items.filter(({ kind }) => !['call', 'refusal', 'entry'].includes(kind))
  expect(actions.map(({ kind, text, ref, cost_nano }) => ({ kind, text, ref, cost_nano }))).toEqual([
    { kind: 'grant', text: 'for more', ref: 'more', cost_nano: 5 },
    { kind: 'grant', text: 'for again', ref: 'again', cost_nano: 7 },
    { kind: 'phase', text: 'phase 1', ref: 'phase 1', cost_nano: null },
    { kind: 'announcement', text: 'Lunch', ref: expect.any(String), cost_nano: null },
    { kind: 'correction', text: 'for slip', ref: 'slip', cost_nano: 3 },
    { kind: 'phase', text: 'phase 0', ref: 'phase 0', cost_nano: null },
  ])
  for (const kind of ['', ...timelineKinds])
    for (let limit = 1; limit <= whole.items.length; limit += 1) {
      const seen: string[] = []
      let after = ''
      for (let pages = 0; pages < 40; pages += 1) {
        const page = await timeline(`&limit=${limit}${kind === '' ? '' : `&kind=${kind}`}${after}`)
        seen.push(...page.items.map(({ ref }) => ref))
        if (page.next === null) break
        after = `&after=${page.next}`
      }
      const due = whole.items.filter(item => kind === '' || item.kind === kind).map(({ ref }) => ref)
      expect({ kind, limit, seen: seen.toSorted() }).toEqual({ kind, limit, seen: due.toSorted() })
    }
})

test('invalid queries are refused', async () => {
  for (const [query, code] of [
    ['', 'invalid_request'],
    ['?team_id=nobody', 'team_not_found'],
    ['?team_id=red&kind=money', 'invalid_request'],
    ['?team_id=red&after=x', 'invalid_request'],
    [`?team_id=red&after=${btoa('[null,null]')}`, 'invalid_request'],
    [`?team_id=red&after=${btoa('[null,null,{"at":1,"id":"\\u0000"},null]')}`, 'invalid_request'],
    ['?team_id=red&limit=201', 'invalid_request'],
    ['?team_id=red&until=now', 'invalid_request'],
  ])
    expect({ query, ...(await door.get(`/timeline${query}`)) }).toMatchObject({
      query,
      body: { error: { code } },
    })
})
