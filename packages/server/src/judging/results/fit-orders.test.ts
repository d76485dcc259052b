// Properties of the ranking by orders: it depends on nothing but the orders, one more good place never harms, and few judgements do not win.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fitOrders } from './fit-orders.ts'

const teams = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const anyOrder = fc.shuffledSubarray(teams, { minLength: 0 })
const anyOrders = fc.array(anyOrder, { maxLength: 8 })

const placeOf = (strengths: ReadonlyMap<string, number>, team: string) =>
  [...strengths.values()].filter(value => value > (strengths.get(team) ?? 0)).length

describe('fitOrders', () => {
  test('gives teams without orders the strength 0, and agrees with orders that agree', () => {
    expect([...fitOrders(teams, []).values()]).toEqual(teams.map(() => 0))
    fc.assert(
      fc.property(
        fc.shuffledSubarray(teams, { minLength: 2 }),
        fc.integer({ min: 1, max: 6 }),
        (order, judges) => {
          const strengths = fitOrders(order, Array<string[]>(judges).fill(order))
          expect(
            order.toSorted((one, other) => (strengths.get(other) ?? 0) - (strengths.get(one) ?? 0)),
          ).toEqual(order)
        },
      ),
    )
  })

  test('is the maximum of the likelihood: no small change of one strength makes the orders more likely', () => {
    fc.assert(
      fc.property(
        anyOrders,
        fc.constantFrom(...teams),
        fc.constantFrom(-1e-3, 1e-3),
        (orders, team, step) => {
          const fitted = fitOrders(teams, orders)
          const changed = new Map(fitted).set(team, (fitted.get(team) ?? 0) + step)
          expect(likelihood(changed, orders)).toBeLessThanOrEqual(likelihood(fitted, orders) + 1e-7)
        },
      ),
    )
  })

  test('depends neither on the order of the teams and judges nor on their names', () => {
    const anyNames = fc.shuffledSubarray(teams, { minLength: teams.length })
    fc.assert(
      fc.property(
        anyOrders.chain(orders =>
          fc.tuple(fc.constant(orders), fc.shuffledSubarray(orders, { minLength: orders.length })),
        ),
        anyNames,
        ([orders, shuffled], names) => {
          const rename = (team: string) => names[teams.indexOf(team)] ?? ''
          const strengths = fitOrders(teams, orders)
          const renamed = fitOrders(
            names,
            shuffled.map(order => order.map(rename)),
          )
          for (const team of teams)
            expect(renamed.get(rename(team))).toBeCloseTo(strengths.get(team) ?? Number.NaN, 6)
        },
      ),
    )
  })

  test('a team that one more judge puts first never loses a place', () => {
    fc.assert(
      fc.property(anyOrders, anyOrder, fc.constantFrom(...teams), (orders, order, team) => {
        const others = order.filter(one => one !== team)
        const before = fitOrders(teams, [...orders, others])
        const after = fitOrders(teams, [...orders, [team, ...others]])
        expect(placeOf(after, team)).toBeLessThanOrEqual(placeOf(before, team))
      }),
    )
  })

  test('a team that a judge moves up by one place never loses a place', () => {
    fc.assert(
      fc.property(
        anyOrders,
        fc.shuffledSubarray(teams, { minLength: 2 }),
        fc.nat(),
        (orders, order, pick) => {
          const place = 1 + (pick % (order.length - 1))
          const moved = order.with(place - 1, order[place] ?? '').with(place, order[place - 1] ?? '')
          const team = order[place] ?? ''
          const before = placeOf(fitOrders(teams, [...orders, order]), team)
          expect(placeOf(fitOrders(teams, [...orders, moved]), team)).toBeLessThanOrEqual(before)
        },
      ),
    )
  })

  test('a team with one judgement does not win against one that several judges put first', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 9 }),
        fc.shuffledSubarray(teams.slice(2), { minLength: 1 }),
        (judges, rest) => {
          const strengths = fitOrders(teams, [
            ['a', ...rest],
            ...Array<string[]>(judges).fill(['b', ...rest]),
          ])
          expect(strengths.get('a') ?? 0).toBeLessThan(strengths.get('b') ?? 0)
        },
      ),
    )
  })
})

/** Of the orders and of the games that every team wins and loses once against an average one. */
function likelihood(strengths: ReadonlyMap<string, number>, orders: readonly (readonly string[])[]): number {
  const strengthOf = (team: string) => Math.exp(strengths.get(team) ?? 0)
  const ofOrders = orders.flatMap(order =>
    order.slice(0, -1).map((team, place) => {
      const left = order.slice(place).reduce((sum, one) => sum + strengthOf(one), 0)
      return Math.log(strengthOf(team) / left)
    }),
  )
  const ofPrior = [...strengths.keys()].map(team => {
    const strength = strengthOf(team)
    return Math.log(strength / (strength + 1)) + Math.log(1 / (strength + 1))
  })
  return [...ofOrders, ...ofPrior].reduce((sum, one) => sum + one, 0)
}
