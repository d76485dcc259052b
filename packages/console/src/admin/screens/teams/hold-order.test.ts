import { expect, test } from 'bun:test'
import { holdOrder } from './hold-order.ts'

test('rows keep their places, missing rows disappear, and new rows come last', () => {
  const rows = ['d', 'c', 'a', 'e'].map(id => ({ id }))
  expect(holdOrder(rows, ['a', 'b', 'c'], ({ id }) => id).map(({ id }) => id)).toEqual(['a', 'c', 'd', 'e'])
  expect(holdOrder(rows, [], ({ id }) => id)).toEqual(rows)
})
