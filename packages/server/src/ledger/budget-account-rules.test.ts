// Budget accounts with changing rules, or moved back in time: cases that the everyday tests of the account do not cover.
import { expect, test } from 'bun:test'
import { BudgetAccount } from './budget-account.ts'

const day = 86_400_000
const hour = 3_600_000

test('a new duration with the same anchor applies at once', () => {
  const account = new BudgetAccount()
  account.roll({ budgetDuration: '30d', budgetAnchor: 0 }, hour)
  account.roll({ budgetDuration: '3d', budgetAnchor: 0 }, hour)
  expect(account.end).toBe(3 * day)
})

test('a new anchor with the same duration applies at once', () => {
  const account = new BudgetAccount()
  account.roll({ budgetDuration: '30d', budgetAnchor: 0 }, hour)
  account.roll({ budgetDuration: '30d', budgetAnchor: hour }, hour)
  expect([account.start, account.end]).toEqual([hour, hour + 30 * day])
})

test('neither a period that is over nor its end comes back', () => {
  const account = new BudgetAccount()
  account.rollTo(1000, 2000)
  account.rollTo(500, 1000)
  expect([account.start, account.end]).toEqual([1000, 2000])
})
