import { expect, test } from 'bun:test'
import { findContradictions, followServer, moveTeam, type OrderItem } from './move-team.ts'

const item = (team: string, mean = 0.5): OrderItem => ({ team, name: `Team ${team}`, mean, tied: false })

test('a team moves to its place, and not beyond the ends', () => {
  expect(moveTeam(['a', 'b', 'c'], 'c', 0)).toEqual(['c', 'a', 'b'])
  expect(moveTeam(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c'])
  expect(moveTeam(['a', 'b', 'c'], 'a', -1)).toEqual(['a', 'b', 'c'])
  expect(moveTeam(['a', 'b', 'c'], 'a', 9)).toEqual(['b', 'c', 'a'])
})

test('an order that was changed by hand follows teams that are finished or opened again meanwhile', () => {
  expect(followServer(['c', 'a'], [item('a'), item('b'), item('c')])).toEqual(['c', 'b', 'a'])
  expect(followServer(['c', 'b', 'a'], [item('a'), item('c')])).toEqual(['c', 'a'])
})

test('teams above one with better scores are pointed out', () => {
  expect([...findContradictions([item('a', 0.4), item('b', 0.9), item('c', 0.4)])]).toEqual(['a'])
})
