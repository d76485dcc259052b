// Which engine of the limits a server gets.
import { expect, test } from 'bun:test'
import { chooseLimitsEngine } from './limits-engine.ts'

const url = 'postgres://fairgate@127.0.0.1/fairgate'

test.each([
  [undefined, url, 'shared'],
  ['memory', url, 'memory'],
  ['shared', url, 'shared'],
  [undefined, null, 'memory'],
  ['memory', null, 'memory'],
] as const)('%p with %p: %p', (wanted, databaseUrl, engine) => {
  expect(chooseLimitsEngine(wanted, databaseUrl)).toBe(engine)
})

test('SQLite cannot be shared', () => {
  expect(() => chooseLimitsEngine('shared', null)).toThrow(
    'limits.engine is "shared", which needs PostgreSQL',
  )
})
