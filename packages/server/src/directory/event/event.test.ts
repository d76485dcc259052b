// Tests what the phases of an event mean at a moment, to the millisecond.
import { describe, expect, test } from 'bun:test'
import { eventLockAt } from '../../store/statements/boards.ts'
import {
  boardLocksOf,
  type Event,
  emptyEvent,
  extendPhase,
  gatewayAt,
  graceAt,
  nextChange,
  submissionAsked,
  submissionDeadline,
} from './event.ts'
import { buildPhase } from './testing/build-event.ts'

const hour = 3_600_000
const practice = buildPhase({ name: 'practice', from: 0, until: 10 * hour })
const contest = buildPhase({ name: 'contest', from: 10 * hour, until: 18 * hour, accounting: 'new' })
const judging = buildPhase({
  name: 'judging',
  from: 18 * hour,
  gateway: 'closed',
  entriesUntil: 18 * hour + 45 * 60_000,
})
const event: Event = { ...emptyEvent, phases: [practice, contest, judging] }
const kindAt = (given: Event, now: number) => gatewayAt(given, now).kind

describe('the gateway', () => {
  test('is open until something is set', () => {
    expect(gatewayAt(emptyEvent, 5)).toEqual({ kind: 'open', phase: null, until: null })
  })

  test.each([
    [-1, 'closed', null],
    [0, 'open', 'practice'],
    [10 * hour - 1, 'open', 'practice'],
    [10 * hour, 'open', 'contest'],
    [18 * hour - 1, 'open', 'contest'],
    [18 * hour, 'closed', null],
  ])('at %d ms it is %s (%p)', (now, kind, name) => {
    const state = gatewayAt(event, now)
    expect(state.kind).toBe(kind as typeof state.kind)
    expect(state.kind === 'open' ? (state.phase?.name ?? null) : null).toBe(name)
  })

  test('has an opening time, and a time since when it is closed', () => {
    const closed = { kind: 'closed', isEnded: false }
    expect(gatewayAt(event, -1)).toMatchObject({ ...closed, since: null, opensAt: 0 })
    expect(gatewayAt(event, 20 * hour)).toMatchObject({ ...closed, since: 18 * hour, opensAt: null })
    const withBreak = { ...event, phases: [practice, { ...contest, from: 12 * hour }] }
    expect(gatewayAt(withBreak, 11 * hour)).toMatchObject({
      ...closed,
      since: 10 * hour,
      opensAt: 12 * hour,
    })
  })

  test('must be evaluated again at the end of the phase, or at an earlier end', () => {
    expect(gatewayAt(event, hour)).toMatchObject({ until: 10 * hour })
    const ended = { at: 9 * hour, entriesUntil: 9 * hour, reason: '' }
    expect(gatewayAt({ ...event, ended }, hour)).toMatchObject({ until: 9 * hour })
    expect(gatewayAt({ ...event, ended }, 9 * hour)).toMatchObject({ kind: 'closed', isEnded: true })
    expect(nextChange({ ...event, ended }, hour)).toBe(9 * hour)
    expect(nextChange({ ...event, ended }, 9 * hour)).toBeNull()
  })

  test('is paused while a phase is open, and still closes after its end', () => {
    const paused = { ...event, paused: { since: 1, reason: 'alarm' } }
    expect(kindAt(paused, hour)).toBe('paused')
    expect(kindAt(paused, 18 * hour)).toBe('closed')
    expect(kindAt({ ...emptyEvent, paused: { since: 1, reason: '' } }, hour)).toBe('paused')
  })
})

describe('extending', () => {
  test('moves the end of the phase and everything after it, and nothing before it', () => {
    const { phases } = extendPhase(event, contest, hour)
    expect(phases).toEqual([
      practice,
      { ...contest, until: 19 * hour },
      { ...judging, from: 19 * hour, entriesUntil: 19 * hour + 45 * 60_000 },
    ])
  })

  test('moves the entry deadline of an open phase with its end, and not that of a closed one', () => {
    const open = buildPhase({ name: 'open', from: 0, until: hour, entriesUntil: hour + 5 })
    const closed = buildPhase({ name: 'closed', from: 0, until: hour, gateway: 'closed', entriesUntil: 5 })
    const extend = (phase: typeof open) =>
      extendPhase({ ...emptyEvent, phases: [phase] }, phase, 10).phases[0]?.entriesUntil
    expect([extend(open), extend(closed)]).toEqual([hour + 15, 5])
  })
})

describe('the boards', () => {
  const lockAt = (given: Event, now: number, openedAt: number | null = null) =>
    eventLockAt({ eventLocks: boardLocksOf(given), openedAt }, now)

  test('are not locked if no phase locks them', () => {
    expect(boardLocksOf({ ...event, phases: [practice, contest] })).toEqual([])
  })

  test('accept what happened before the lock until the end of the grace period, to the millisecond', () => {
    const until = 18 * hour + 45 * 60_000
    expect(lockAt(event, 18 * hour - 1)).toEqual({ kind: 'open' })
    expect(lockAt(event, 18 * hour)).toEqual({ kind: 'late', before: 18 * hour, until })
    expect(lockAt(event, until - 1)).toEqual({ kind: 'late', before: 18 * hour, until })
    expect(lockAt(event, until)).toEqual({ kind: 'locked', since: 18 * hour })
  })

  test('are opened by the next open phase, and by an organiser', () => {
    const finals = buildPhase({ name: 'finals', from: 30 * hour, until: 40 * hour })
    const withFinals = { ...event, phases: [practice, contest, { ...judging, until: 30 * hour }, finals] }
    expect(lockAt(withFinals, 30 * hour - 1).kind).toBe('locked')
    expect(lockAt(withFinals, 30 * hour)).toEqual({ kind: 'open' })
    expect(lockAt(event, 20 * hour, 19 * hour)).toEqual({ kind: 'open' })
    expect(lockAt(event, 20 * hour, 17 * hour).kind).toBe('locked')
  })

  test('are locked at once by a manual end, whatever the phases say', () => {
    const over = { ...event, ended: { at: hour, entriesUntil: hour, reason: '' } }
    expect(lockAt(over, hour)).toEqual({ kind: 'locked', since: hour })
    expect(lockAt(over, 18 * hour)).toEqual({ kind: 'locked', since: hour })
  })

  test('give a manual end the grace period of the end that the phases set next', () => {
    expect(graceAt(event, hour)).toBe(45 * 60_000)
    expect(graceAt(event, 18 * hour)).toBe(0)
    expect(graceAt(emptyEvent, hour)).toBe(0)
  })
})

describe('the deadline of submissions', () => {
  const ended = { at: 12 * hour, entriesUntil: 12 * hour, reason: '' }
  const until = (submissionsUntil: number) => ({
    ...event,
    phases: [practice, { ...contest, submissionsUntil }],
  })

  test('is the last one that a phase sets, otherwise the end of the last open phase or of the event', () => {
    expect(submissionDeadline(emptyEvent)).toBeNull()
    expect(submissionDeadline(event)).toBe(18 * hour)
    expect(submissionDeadline({ ...event, ended })).toBe(12 * hour)
    expect(submissionDeadline(until(19 * hour))).toBe(19 * hour)
    expect(submissionDeadline({ ...until(19 * hour), ended })).toBe(19 * hour)
  })

  test('moves with its phase', () => {
    const given = until(19 * hour)
    const [, open] = given.phases
    if (open === undefined) throw new Error('no phase')
    expect(submissionDeadline(extendPhase(given, open, hour))).toBe(20 * hour)
    const closed = { ...judging, until: 20 * hour, submissionsUntil: 19 * hour }
    const both = { ...event, phases: [contest, closed] }
    expect(submissionDeadline(extendPhase(both, closed, hour))).toBe(19 * hour)
    expect(submissionDeadline(extendPhase(both, contest, hour))).toBe(20 * hour)
  })

  test('asks for submissions by itself', () => {
    expect(submissionAsked(event)).toBeNull()
    expect(submissionAsked(until(hour))).toMatchObject({ disclosure: null, late: 'marked' })
    const submission = { disclosure: null, max_files: 0, late: 'refused' } as const
    expect(submissionAsked({ ...until(hour), submission })).toBe(submission)
  })
})
