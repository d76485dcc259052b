import { expect, test } from 'bun:test'
import { groupBulk } from './group-bulk.ts'

test('rows of one bulk action become one item; others stay separate', () => {
  const row = (id: number, bulk_id?: string) => ({
    ...{ id, at: '', actor: '', action: '', team_id: '', target: '', before: null, after: null },
    ...(bulk_id === undefined ? {} : { bulk_id }),
  })
  const rows = [row(6, 'b'), row(5, 'b'), row(4), row(3), row(2, 'a'), row(1, 'a')]
  expect(groupBulk(rows).map(group => group.map(({ id }) => id))).toEqual([[6, 5], [4], [3], [2, 1]])
})
