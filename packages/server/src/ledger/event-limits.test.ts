// The limits of an event's phases at each moment, to the millisecond.
import { describe, expect, test } from 'bun:test'
import { type EventTimes, limitsOfEvent } from './event-limits.ts'
import { nanoDollars } from './money.ts'

const [two, many, cap] = [nanoDollars(2), nanoDollars(25), nanoDollars(900)]
const event: EventTimes = {
  capNano: cap,
  phases: [
    { from: 100, until: 200, gateway: 'open', budgetNano: two, accounting: 'continue' },
    { from: 200, until: 300, gateway: 'open', budgetNano: many, accounting: 'new' },
    { from: 300, until: 350, gateway: 'closed', budgetNano: null, accounting: 'continue' },
    { from: 400, until: null, gateway: 'open', budgetNano: null, accounting: 'new' },
  ],
}

describe('limitsOfEvent', () => {
  test.each([
    [99, { cap, teamBudget: null, since: null, until: 100 }],
    [100, { cap, teamBudget: two, since: null, until: 200 }],
    [199, { cap, teamBudget: two, since: null, until: 200 }],
    [200, { cap, teamBudget: many, since: 200, until: 300 }],
    [299, { cap, teamBudget: many, since: 200, until: 300 }],
    // Closed: the budgets of teams stay visible. Before, budgets vanished with the end of the contest.
    [300, { cap, teamBudget: many, since: 200, until: 350 }],
    [350, { cap, teamBudget: many, since: 200, until: 400 }],
    [400, { cap, teamBudget: null, since: 400, until: null }],
  ])('at %i', (now, expected) => {
    expect(limitsOfEvent(event, now)).toEqual(expected)
  })

  test('after the last phase, cap, budget and periods stay', () => {
    const [first] = event.phases
    if (first === undefined) throw new Error('There are phases.')
    expect(limitsOfEvent({ capNano: null, phases: [{ ...first, accounting: 'new' }] }, 500)).toEqual({
      cap: null,
      teamBudget: two,
      since: 100,
      until: null,
    })
  })

  test('has no limits without an event', () => {
    expect(limitsOfEvent({ capNano: null, phases: [] }, 0)).toBeNull()
    expect(limitsOfEvent({ capNano: cap, phases: [] }, 0)).toEqual({
      cap,
      teamBudget: null,
      since: null,
      until: null,
    })
  })
})
