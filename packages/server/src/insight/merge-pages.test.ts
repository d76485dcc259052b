// One page of multiple lists: in one order, and never beyond the known part of each.
import { expect, test } from 'bun:test'
import { mergePages } from './merge-pages.ts'

const inOrder = (one: number, other: number) => one - other
const whole = (...items: number[]) => ({ items, knownTo: null })

test('items of all parts are in one order; the page is the last if it has all of them', () => {
  expect(mergePages([whole(1, 4), whole(2, 3), whole()], inOrder, 4)).toEqual({
    items: [1, 2, 3, 4],
    isCut: false,
    isLast: true,
  })
})

test('cuts a full page, and one that goes past the known range of a part', () => {
  expect(mergePages([whole(1, 4), whole(2, 3)], inOrder, 3)).toEqual({
    items: [1, 2, 3],
    isCut: true,
    isLast: false,
  })
  const known = { items: [2], knownTo: 3 }
  expect(mergePages([whole(1, 3, 4), known], inOrder, 9)).toEqual({
    items: [1, 2, 3],
    isCut: true,
    isLast: false,
  })
})

test('a page with all items is not the last if a part is not known to its end', () => {
  const nothingYet = { items: [], knownTo: 5 }
  expect(mergePages([whole(1), nothingYet], inOrder, 9)).toEqual({
    items: [1],
    isCut: false,
    isLast: false,
  })
  expect(mergePages([whole(1, 6), { items: [2], knownTo: 2 }, nothingYet], inOrder, 9).items).toEqual([1, 2])
})
