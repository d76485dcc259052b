// Changed members are shown, and those that stayed are not.
import { expect, test } from 'bun:test'
import { listDifferences } from './list-differences.ts'

test('only what changed is told', () => {
  expect(
    listDifferences({ rpm: 5, name: 'A', tags: ['x'] }, { rpm: null, name: 'A', tags: ['x', 'y'] }),
  ).toEqual([
    { name: 'rpm', from: '5', to: null },
    { name: 'tags', from: '["x"]', to: '["x","y"]' },
  ])
})

test('a new record tells what is set, a deleted one nothing', () => {
  expect(
    listDifferences(null, {
      name: 'A',
      rpm: null,
      tags: [],
      blocked: false,
      team_id: 'a',
      metadata: { x: {} },
    }),
  ).toEqual([{ name: 'name', from: null, to: 'A' }])
  expect(listDifferences({ name: 'A' }, null)).toEqual([])
})
