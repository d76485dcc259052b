// Late marks by two deadlines, who may still hand in, and the rows of the list.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Event, emptyEvent, usualSubmission } from '../directory/event/event.ts'
import { buildPhase } from '../directory/event/testing/build-event.ts'
import { describeRow, describeState, isLate } from './describe-submission.ts'

const due = 1000
const event: Event = {
  ...emptyEvent,
  phases: [buildPhase({ name: 'contest', from: 0, until: due })],
  submission: usualSubmission,
}
type Lock = { readonly locked: boolean; readonly lockAt: number | null }
const open: Lock = { locked: false, lockAt: null }
const facts = { event, findMember: () => undefined, board: open, head: null, now: due }

test.each([
  ['before both deadlines', 999, due, due, false],
  ['at the deadline', 1000, due, due, true],
  ['after a deadline that was moved on later', 1500, due, 2000, false],
  ['after it was moved back', 1500, 2000, due, false],
  ['after both', 2000, 2000, due, true],
  ['without a deadline then', 2000, null, due, false],
  ['without a deadline now', 2000, due, null, false],
] as const)('a version %s', (_, at, dueAt, deadline, late) => {
  expect(isLate({ receivedMicros: at * 1000, dueAt }, deadline)).toBe(late)
})

test('moving the deadline on never makes a version late, and a later version is never excused before an earlier one', () => {
  const moment = fc.integer({ min: 0, max: 5000 })
  fc.assert(
    fc.property(moment, moment, moment, moment, (at, dueAt, deadline, more) => {
      const late = (received: number, now: number) => isLate({ receivedMicros: received * 1000, dueAt }, now)
      if (late(at, deadline + more)) expect(late(at, deadline)).toBe(true)
      if (late(at, deadline)) expect(late(at + more, deadline)).toBe(true)
      if (at < Math.max(dueAt, deadline)) expect(late(at, deadline)).toBe(false)
    }),
  )
})

const byHand: Lock = { locked: true, lockAt: null }
test.each<[string, 'deadline' | 'organisers' | null, Partial<typeof facts>]>([
  ['before the deadline', null, { now: due - 1 }],
  ['before the deadline with a locked board', null, { now: due - 1, board: byHand }],
  ['after it', null, {}],
  ['after it with a locked board', 'organisers', { board: byHand }],
  ['after it with a lock time that has come', 'organisers', { board: { locked: false, lockAt: due } }],
  [
    'after it if late ones are refused',
    'deadline',
    { event: { ...event, submission: { ...usualSubmission, late: 'refused' } } },
  ],
])('%s it is closed by %p', (_, by, change) => {
  expect(describeState({ ...facts, ...change })).toMatchObject({ open: by === null, closed_by: by })
})

test('an event that asks for nothing has no state', () => {
  expect(describeState({ ...facts, event: { ...event, submission: null } })).toBeNull()
})

test('a row names what was left empty', () => {
  const team = { teamId: 'red', alias: 'Red Pandas' }
  const around = { findMember: () => ({ name: 'Jiwoo' }), deadline: due }
  expect(describeRow(team, undefined, around)).toMatchObject({ state: 'missing', version: 0, lacks: [] })
  const content = {
    ...{ title: 'Tides', summary: null, repository: 'red/tides', commit: null, demoUrl: null },
    ...{ videoUrl: 'https://v.example/', disclosure: null, files: [] },
  }
  const record = {
    ...{ teamId: 'red', version: 3, receivedMicros: 1_000_000, dueAt: due, keyHash: 'k', memberId: 'm' },
    content,
  }
  expect(describeRow(team, { record, firstMicros: 0 }, around)).toMatchObject({
    state: 'late',
    person: 'Jiwoo',
    first_at: '1970-01-01T00:00:00.000Z',
    handed_in_at: '1970-01-01T00:00:01.000Z',
    lacks: ['summary', 'commit', 'demo_url'],
  })
})
