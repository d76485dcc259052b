// Phases as they are sent: times in the zone of the event, and every fault by its member.
import { expect, test } from 'bun:test'
import type { PhaseFields } from '@fairgate/contracts/management/event.ts'
import { invalid, refusalOf } from '../testing/refusal-of.ts'
import { resolveTestModel } from '../testing/resolve-test-model.ts'
import { buildPhases } from './phases.ts'

const build = (...phases: PhaseFields[]) => buildPhases(phases, 'Asia/Seoul', resolveTestModel)
const contest = { name: 'contest', from: '2026-11-21T10:00', until: '2026-11-21T18:00' }
const judging = { name: 'judging', from: '2026-11-21T18:00', gateway: 'closed' } as const

test('the phases of an event are read in its zone, models by their ids', () => {
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

test('the grace counts from the end of an open phase, or is a time', () => {
  expect(build({ ...contest, entries_until: '+10m' })[0]?.entriesUntil).toBe(
    Date.parse('2026-11-21T09:10:00Z'),
  )
  expect(build({ ...contest, entries_until: '2026-11-21T18:30' })[0]?.entriesUntil).toBe(
    Date.parse('2026-11-21T09:30:00Z'),
  )
})

test.each<[string, string, PhaseFields[]]>([
  ['two of one name', 'phases[1].name', [contest, { ...judging, name: 'contest' }]],
  ['an end before the start', 'phases[0].until', [{ ...contest, until: '2026-11-21T09:00' }]],
  ['an end at the start', 'phases[0].until', [{ ...contest, until: contest.from }]],
  ['an overlap', 'phases[1].from', [contest, { ...judging, from: '2026-11-21T17:59' }]],
  ['no end before another', 'phases[0].until', [{ name: 'a', from: contest.from }, judging]],
  ['an unknown model', 'phases[0].models[1]', [{ ...contest, models: ['fast', 'none'] }]],
  [
    'a grace that ends before the lock',
    'phases[0].entries_until',
    [{ ...contest, entries_until: contest.from }],
  ],
  [
    'a grace without a lock',
    'phases[0].entries_until',
    [{ name: 'a', from: contest.from, entries_until: '+1m' }],
  ],
  [
    'two locks at one moment',
    'phases[1].entries_until',
    [
      { ...contest, entries_until: '+1m' },
      { ...judging, entries_until: '+2m' },
    ],
  ],
  ['no time', 'phases[0].from', [{ ...contest, from: 'noon' }]],
  ['a day that does not exist', 'phases[0].from', [{ ...contest, from: '2026-02-30T10:00' }]],
])('%s is refused at its member', async (_, param, phases) => {
  expect(await refusalOf(() => build(...phases))).toEqual(invalid(param))
})
