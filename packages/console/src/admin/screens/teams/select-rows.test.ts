// Selecting one row, a range, and rows that are no longer shown.
import { expect, test } from 'bun:test'
import { clearRows, emptySelection, selectAllRows, toggleRow } from './select-rows.ts'

const order = ['a', 'b', 'c', 'd']

test('one row is ticked and unticked', () => {
  const one = toggleRow(emptySelection, order, 'b', false)
  expect([...one.ids]).toEqual(['b'])
  expect([...toggleRow(one, order, 'b', false).ids]).toEqual([])
})

test('a range starts at the row ticked last, in either direction', () => {
  const last = toggleRow(emptySelection, order, 'd', false)
  expect([...toggleRow(last, order, 'b', true).ids].sort()).toEqual(['b', 'c', 'd'])
})

test('a range from a hidden row selects only the clicked row', () => {
  const gone = toggleRow(emptySelection, order, 'x', false)
  expect([...toggleRow(gone, order, 'b', true).ids].sort()).toEqual(['b', 'x'])
})

test('unticking the end of a range unticks the range', () => {
  const all = { ids: new Set(order), anchor: 'a', whole: null }
  expect([...toggleRow(all, order, 'c', true).ids]).toEqual(['d'])
})

test('all matching rows are selected and cleared; ticking one row ends “all” and keeps the others selected', () => {
  const other = toggleRow(emptySelection, ['x'], 'x', false)
  const all = selectAllRows(other, order, 'paper')
  expect([[...all.ids].sort(), all.whole]).toEqual([['a', 'b', 'c', 'd', 'x'], 'paper'])
  expect(toggleRow(all, order, 'b', false).whole).toBeNull()
  expect([...clearRows(all, order).ids]).toEqual(['x'])
})
