// What an act changed.
import { expect, test } from 'bun:test'
import { compareStates } from './compare-states.ts'

test('only what differs is told', () => {
  expect(compareStates({ a: 1, b: 'x', c: null }, { a: 1, b: 'y', d: [1] })).toEqual([
    { name: 'b', from: 'x', to: 'y' },
    { name: 'c', from: 'none', to: null },
    { name: 'd', from: null, to: '[1]' },
  ])
  expect(compareStates(null, { a: true })).toEqual([{ name: 'a', from: null, to: 'true' }])
  expect(compareStates(null, null)).toEqual([])
})
