import { describe, expect, test } from 'bun:test'
import { BudgetAccount, type PeriodRules } from './budget-account.ts'
import { nanoDollars } from './money.ts'

const hour = 3_600_000
const hourly: PeriodRules = { budgetDuration: '1h', budgetAnchor: 0 }
const five = nanoDollars(5)
const three = nanoDollars(3)

function figures(account: BudgetAccount): number[] {
  return [account.start, account.spent, account.held]
}

describe('a budget account', () => {
  test('replaces a hold with its charge', () => {
    const account = new BudgetAccount()
    account.roll(hourly, 10)
    account.hold(five)
    expect(figures(account)).toEqual([0, 0, 5])
    account.settle(0, five, three)
    expect(figures(account)).toEqual([0, 3, 0])
  })

  test('a new period starts empty and is not changed by a late charge of the old one', () => {
    const account = new BudgetAccount()
    account.roll(hourly, hour - 1)
    account.hold(five)
    account.roll(hourly, hour)
    expect(figures(account)).toEqual([hour, 0, 0])
    account.hold(three)
    account.settle(0, five, five)
    expect(figures(account)).toEqual([hour, 0, 3])
  })

  test('a refund reverses a charge, in its own period only, and never below zero', () => {
    const account = new BudgetAccount()
    account.roll(hourly, 10)
    account.settle(0, nanoDollars(0), five)
    account.adjust(0, -three)
    expect(figures(account)).toEqual([0, 2, 0])
    account.adjust(0, -five)
    expect(figures(account)).toEqual([0, 0, 0])
    account.settle(0, nanoDollars(0), five)
    account.roll(hourly, hour)
    account.settle(hour, nanoDollars(0), three)
    account.adjust(0, -five)
    expect(figures(account)).toEqual([hour, 3, 0])
  })

  test('never rolls back', () => {
    const account = new BudgetAccount()
    account.roll(hourly, 5 * hour)
    account.hold(five)
    account.roll(hourly, hour)
    account.rollTo(hour, 2 * hour)
    expect(figures(account)).toEqual([5 * hour, 0, 5])
  })

  test('a new duration starts a new period at its anchor', () => {
    const account = new BudgetAccount()
    account.roll(hourly, 10)
    account.settle(0, nanoDollars(0), five)
    account.roll({ budgetDuration: '1d', budgetAnchor: 20 }, 30)
    expect(figures(account)).toEqual([20, 0, 0])
    expect(account.end).toBe(24 * hour)
  })

  test('a loaded total counts until its period is over', () => {
    const account = new BudgetAccount()
    account.load(2 * hour, five)
    account.roll(hourly, 3 * hour - 1)
    expect(figures(account)).toEqual([2 * hour, 5, 0])
    account.roll(hourly, 3 * hour)
    expect(figures(account)).toEqual([3 * hour, 0, 0])
  })

  test('a loaded total of an older period is ignored', () => {
    const account = new BudgetAccount()
    account.roll(hourly, 3 * hour)
    account.load(2 * hour, five)
    expect(figures(account)).toEqual([3 * hour, 0, 0])
  })

  test('a total loaded from a period that has not begun by this clock stays', () => {
    const account = new BudgetAccount()
    account.load(4 * hour, five)
    account.roll(hourly, 3 * hour)
    expect(figures(account)).toEqual([4 * hour, 5, 0])
    expect(account.end).toBe(5 * hour)
  })
})
