// Only what differs is told.
import { expect, test } from 'bun:test'
import { listChanges } from './list-changes.ts'

test('members that differ, came or went', () => {
  expect(
    listChanges({
      before: { budget: 5, name: 'Red', models: ['a'], gone: true },
      after: { budget: 7, name: 'Red', models: ['a', 'b'], fresh: null },
    }),
  ).toEqual([
    { name: 'budget', before: '5', after: '7' },
    { name: 'models', before: '["a"]', after: '["a","b"]' },
    { name: 'gone', before: 'true', after: null },
  ])
  expect(
    listChanges({
      before: { left_nano: 796_000, updated_at: 'a' },
      after: { left_nano: 0, updated_at: 'b' },
    }),
  ).toEqual([{ name: 'left_nano', before: '$0.000796', after: '$0.000000' }])
  expect(listChanges({ before: null, after: { name: 'Red' } })).toEqual([
    { name: 'name', before: null, after: 'Red' },
  ])
})
