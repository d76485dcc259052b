// Lists only fields that differ, and only decided fields that say something.
import { expect, test } from 'bun:test'
import { listDecided, listDifferences } from './list-differences.ts'

test('lists changed, added and removed fields', () => {
  expect(
    listDifferences(
      { budget: 5, name: 'Red', models: ['a'], gone: true },
      { budget: 7, name: 'Red', models: ['a', 'b'], fresh: null },
    ),
  ).toEqual([
    { name: 'budget', before: '5', after: '7' },
    { name: 'models', before: '["a"]', after: '["a","b"]' },
    { name: 'gone', before: 'true', after: null },
  ])
  expect(listDifferences({ left_nano: 796_000, updated_at: 'a' }, { left_nano: 0, updated_at: 'b' })).toEqual(
    [{ name: 'left_nano', before: '$0.000796', after: '$0.00' }],
  )
  expect(listDifferences(null, { name: 'Red' })).toEqual([{ name: 'name', before: null, after: 'Red' }])
})

test('lists only the decided changes that made a difference', () => {
  expect(listDecided({ rpm: 5, name: 'A', tags: ['x'] }, { rpm: null, name: 'A', tags: ['x', 'y'] })).toEqual(
    [
      { name: 'rpm', before: '5', after: null },
      { name: 'tags', before: '["x"]', after: '["x","y"]' },
    ],
  )
})

test('a new record lists the fields that are set; a deleted one lists none', () => {
  expect(
    listDecided(null, {
      name: 'A',
      rpm: null,
      tags: [],
      blocked: false,
      team_id: 'a',
      metadata: { x: {} },
    }),
  ).toEqual([{ name: 'name', before: null, after: 'A' }])
  expect(listDecided({ name: 'A' }, null)).toEqual([])
})
