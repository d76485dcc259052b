// A board as its team sees it: open, or locked by hand, by a phase, or by the end of the event.
import { describe, expect, test } from 'bun:test'
import { describeBoard } from './describe-board.ts'

const noon = Date.parse('2026-11-21T12:00:00Z')
const hour = 3_600_000
const board = { locked: false, lockAt: null, eventLocks: [], openedAt: null, updatedAt: noon - hour }
const running = { ended: null }
const open = { locked: false, since: null, until: null, reason: null, late_until: null }
const closed = { closesAt: noon, lateUntil: noon + hour, reopensAt: noon + 2 * hour }
const iso = (at: number) => new Date(at).toISOString()

describe('a board', () => {
  test('that nothing locks, or that does not exist, is open', () => {
    expect(describeBoard(board, running, noon)).toEqual(open)
    expect(describeBoard(null, running, noon)).toEqual(open)
    expect(describeBoard({ ...board, lockAt: noon + 1 }, running, noon)).toEqual(open)
  })

  test('that an organiser locked shows since when, at once or at its set time', () => {
    const byHand = { ...open, locked: true, reason: 'organisers' as const }
    expect(describeBoard({ ...board, locked: true, lockAt: noon + hour }, running, noon)).toEqual({
      ...byHand,
      since: iso(noon - hour),
    })
    expect(describeBoard({ ...board, lockAt: noon }, running, noon + 5)).toEqual({
      ...byHand,
      since: iso(noon),
    })
  })

  test('that a phase locked shows when it opens, and until when late entries are accepted', () => {
    const locked = { ...board, eventLocks: [closed] }
    const reported = { locked: true, since: iso(noon), until: iso(noon + 2 * hour), reason: 'phase' as const }
    expect(describeBoard(locked, running, noon)).toEqual({ ...reported, late_until: iso(noon + hour) })
    expect(describeBoard(locked, running, noon + hour)).toEqual({ ...reported, late_until: null })
    expect(describeBoard(locked, running, noon + 2 * hour)).toEqual(open)
    expect(describeBoard({ ...locked, openedAt: noon + 1 }, running, noon + 2)).toEqual(open)
  })

  test('of an event ended by hand shows no opening time, regardless of the phases', () => {
    const end = { closesAt: noon + 1, lateUntil: noon + 1, reopensAt: null }
    const locked = { ...board, eventLocks: [closed, end] }
    const event = { ended: { at: noon + 1, entriesUntil: noon + 1, reason: '' } }
    expect(describeBoard(locked, event, noon + 2)).toEqual({
      locked: true,
      since: iso(noon),
      until: null,
      reason: 'end',
      late_until: null,
    })
  })
})
