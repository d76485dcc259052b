// The two addresses of PostgreSQL: errors repeat neither, because they hold a password.
import { expect, test } from 'bun:test'
import { readDatabaseUrl, readDirectUrl } from './secrets.ts'

const url = 'postgres://user:secret@pooler:6432/fairgate'
const direct = 'postgresql://user:secret@database:5432/fairgate'

test('notifications come from DATABASE_DIRECT_URL, or else from DATABASE_URL, or else from nowhere', () => {
  expect(readDirectUrl({ DATABASE_URL: url, DATABASE_DIRECT_URL: direct })).toBe(direct)
  expect(readDirectUrl({ DATABASE_URL: url })).toBe(url)
  expect(readDirectUrl({})).toBeNull()
})

test.each([
  [() => readDatabaseUrl({ DATABASE_URL: 'mysql://user:secret@x' }), /^DATABASE_URL must be/],
  [
    () => readDirectUrl({ DATABASE_URL: url, DATABASE_DIRECT_URL: 'user:secret@x' }),
    /^DATABASE_DIRECT_URL must be/,
  ],
  [() => readDirectUrl({ DATABASE_DIRECT_URL: direct }), /^DATABASE_DIRECT_URL has no effect without/],
])('an invalid URL is named without its value', (read, message) => {
  expect(read).toThrow(message)
  expect(read).not.toThrow(/secret/)
})
