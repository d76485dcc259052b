// Phases as they are sent: times in the event's time zone, and every error with its member.
import { expect, test } from 'bun:test'
import type { PhaseFields } from '@fairgate/contracts/management/event.ts'
import { invalid, refusalOf } from '../testing/refusal-of.ts'
import { resolveTestModel } from '../testing/resolve-test-model.ts'
import { buildPhases } from './phases.ts'

const build = (...phases: PhaseFields[]) => buildPhases(phases, 'Asia/Seoul', resolveTestModel)
const contest = { name: 'contest', from: '2026-11-21T10:00', until: '2026-11-21T18:00' }
const judging = { name: 'judging', from: '2026-11-21T18:00', gateway: 'closed' } as const

test('the phases of an event are read in its time zone, models by their ids', () => {
  const [one, two] = build(
    { ...contest, models: ['fast', 'model-2'], budget_nano: 25_000_000_000, accounting: 'new' },
    { ...judging, entries_until: '+45m' },
  )
  expect(one).toMatchObject({
    from: Date.parse('2026-11-21T01:00:00Z'),
    until: Date.parse('2026-11-21T09:00:00Z'),
    gateway: 'open',
    models: ['model-1', 'model-2'],
    budgetNano: 25_000_000_000,
    accounting: 'new',
    entriesUntil: null,
  })
  expect(two).toMatchObject({ until: null, entriesUntil: Date.parse('2026-11-21T09:45:00Z') })
})

test('the grace period counts from the end of an open phase, or is a time', () => {
  expect(build({ ...contest, entries_until: '+10m' })[0]?.entriesUntil).toBe(
    Date.parse('2026-11-21T09:10:00Z'),
  )
  expect(build({ ...contest, entries_until: '2026-11-21T18:30' })[0]?.entriesUntil).toBe(
    Date.parse('2026-11-21T09:30:00Z'),
  )
})

test('the deadline of submissions counts from the end, or from the start of a closed phase, or is a time', () => {
  const until = (phase: PhaseFields) => build(phase)[0]?.submissionsUntil
  expect(until(contest)).toBeNull()
  expect(until({ ...contest, submissions_until: '+15m' })).toBe(Date.parse('2026-11-21T09:15:00Z'))
  expect(until({ ...judging, submissions_until: '+15m' })).toBe(Date.parse('2026-11-21T09:15:00Z'))
  expect(until({ ...contest, submissions_until: '2026-11-21T17:45' })).toBe(
    Date.parse('2026-11-21T08:45:00Z'),
  )
})

test.each<[string, string, PhaseFields[]]>([
  ['two with one name', 'phases[1].name', [contest, { ...judging, name: 'contest' }]],
  ['an end before the start', 'phases[0].until', [{ ...contest, until: '2026-11-21T09:00' }]],
  ['an end at the start', 'phases[0].until', [{ ...contest, until: contest.from }]],
  ['an overlap', 'phases[1].from', [contest, { ...judging, from: '2026-11-21T17:59' }]],
  ['no end before another', 'phases[0].until', [{ name: 'a', from: contest.from }, judging]],
  ['an unknown model', 'phases[0].models[1]', [{ ...contest, models: ['fast', 'none'] }]],
  [
    'a grace period that ends before the lock',
    'phases[0].entries_until',
    [{ ...contest, entries_until: contest.from }],
  ],
  [
    'a grace period without a lock',
    'phases[0].entries_until',
    [{ name: 'a', from: contest.from, entries_until: '+1m' }],
  ],
  [
    'a deadline before the phase',
    'phases[0].submissions_until',
    [{ ...contest, submissions_until: '2026-11-21T09:59' }],
  ],
  [
    'a deadline after an end that is not there',
    'phases[0].submissions_until',
    [{ name: 'a', from: contest.from, submissions_until: '+15m' }],
  ],
  [
    'two locks at one moment',
    'phases[1].entries_until',
    [
      { ...contest, entries_until: '+1m' },
      { ...judging, entries_until: '+2m' },
    ],
  ],
  ['an invalid time', 'phases[0].from', [{ ...contest, from: 'noon' }]],
  ['a day that does not exist', 'phases[0].from', [{ ...contest, from: '2026-02-30T10:00' }]],
])('%s is refused by its member', async (_, param, phases) => {
  expect(await refusalOf(() => build(...phases))).toEqual(invalid(param))
})

// The clocks of Berlin go forward at 02:00 on 2026-03-29 and back at 03:00 on 2026-10-25; New York's go back a week later.
test.each([
  ['a day of 23 hours', 'Europe/Berlin', '2026-03-29T00:00', '2026-03-30T00:00', '2026-03-28T23:00Z', 23],
  ['a day of 25 hours', 'Europe/Berlin', '2026-10-25T00:00', '2026-10-26T00:00', '2026-10-24T22:00Z', 25],
  [
    'a night with the clocks forward',
    'Europe/Berlin',
    '2026-03-29T01:59',
    '2026-03-29T03:00',
    '2026-03-29T00:59Z',
    1 / 60,
  ],
  [
    'a night with the clocks back',
    'America/New_York',
    '2026-11-01T00:59',
    '2026-11-01T02:00',
    '2026-11-01T04:59Z',
    2 + 1 / 60,
  ],
  ['a leap day', 'Europe/Berlin', '2028-02-29T00:00', '2028-03-01T00:00', '2028-02-28T23:00Z', 24],
])('%s in %s, from %s until %s, begins at %s and lasts %d hours', (_, zone, from, until, begins, hours) => {
  const [phase] = buildPhases([{ name: 'contest', from, until }], zone, resolveTestModel)
  const start = Date.parse(begins)
  expect([phase?.from, phase?.until]).toEqual([start, start + hours * 3_600_000])
})

test('a grace period in minutes is unaffected by daylight saving', () => {
  const contest = {
    name: 'contest',
    from: '2026-03-28T20:00',
    until: '2026-03-29T01:30',
    entries_until: '+60m',
  }
  const [phase] = buildPhases([contest], 'Europe/Berlin', resolveTestModel)
  expect(phase?.entriesUntil).toBe(Date.parse('2026-03-29T01:30Z'))
})
