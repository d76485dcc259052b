// A tick, a range, and a row that is not shown any more.
import { expect, test } from 'bun:test'
import { clearRows, emptySelection, selectAllRows, toggleRow } from './select-rows.ts'

const order = ['a', 'b', 'c', 'd']

test('one row is ticked and unticked', () => {
  const one = toggleRow(emptySelection, order, 'b', false)
  expect([...one.ids]).toEqual(['b'])
  expect([...toggleRow(one, order, 'b', false).ids]).toEqual([])
})

test('a range goes from the row ticked last, in either direction', () => {
  const last = toggleRow(emptySelection, order, 'd', false)
  expect([...toggleRow(last, order, 'b', true).ids].sort()).toEqual(['b', 'c', 'd'])
})

test('a range from a row that is not shown is the one row', () => {
  const gone = toggleRow(emptySelection, order, 'x', false)
  expect([...toggleRow(gone, order, 'b', true).ids].sort()).toEqual(['b', 'x'])
})

test('a range is unticked as its end is', () => {
  const all = { ids: new Set(order), anchor: 'a', whole: null }
  expect([...toggleRow(all, order, 'c', true).ids]).toEqual(['d'])
})

test('all that match are selected and cleared; one tick ends the whole, and others stay', () => {
  const other = toggleRow(emptySelection, ['x'], 'x', false)
  const all = selectAllRows(other, order, 'paper')
  expect([[...all.ids].sort(), all.whole]).toEqual([['a', 'b', 'c', 'd', 'x'], 'paper'])
  expect(toggleRow(all, order, 'b', false).whole).toBeNull()
  expect([...clearRows(all, order).ids]).toEqual(['x'])
})
