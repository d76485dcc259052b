// suite: test on postgres
// The servers that DATABASE_URL names, and that no message repeats its password.
import { expect, test } from 'bun:test'
import { readDatabaseAddress } from './database-address.ts'

test.each([
  [
    'postgres://u:secret@db:5433/fairgate',
    ['postgres://u:secret@db:5433/fairgate'],
    false,
    'db:5433/fairgate',
  ],
  [
    'postgresql://db/fairgate?sslmode=require',
    ['postgresql://db/fairgate?sslmode=require'],
    false,
    'db/fairgate',
  ],
  [
    'postgres://u:secret@one:5432,two:5433,[::1]:5434/fairgate?sslmode=verify-full&target_session_attrs=read-write',
    [
      'postgres://u:secret@one:5432/fairgate?sslmode=verify-full',
      'postgres://u:secret@two:5433/fairgate?sslmode=verify-full',
      'postgres://u:secret@[::1]:5434/fairgate?sslmode=verify-full',
    ],
    true,
    'one:5432,two:5433,[::1]:5434/fairgate',
  ],
  [
    'postgres://one,two/fairgate',
    ['postgres://one/fairgate', 'postgres://two/fairgate'],
    true,
    'one,two/fairgate',
  ],
  ['postgres://one/fairgate?target_session_attrs=primary', ['postgres://one/fairgate'], true, 'one/fairgate'],
  ['postgres://one/fairgate?target_session_attrs=any', ['postgres://one/fairgate'], false, 'one/fairgate'],
  [
    'postgres://u:secret@/fairgate?host=/run/postgresql',
    ['postgres://u:secret@/fairgate?host=%2Frun%2Fpostgresql'],
    false,
    '/fairgate',
  ],
])('%s', (text, servers, needsWrites, label) => {
  expect(readDatabaseAddress(text)).toEqual({ servers: servers as [string], needsWrites, label })
})

test.each([
  ['http://u:secret@db/fairgate', 'not a PostgreSQL address'],
  ['postgres://u:secret@db:port/fairgate', 'not a PostgreSQL address'],
  ['postgres://u:secret@one,,two/fairgate', 'has no name'],
  ['postgres://u:secret@one,two/fairgate?target_session_attrs=any', 'read-write, which is the default'],
  ['postgres://u:secret@one/fairgate?target_session_attrs=standby', 'Fairgate writes'],
  ['postgres://u:secret@one/fairgate?host=one,two', 'before the path'],
])('refused: %s', (text, reason) => {
  let message = ''
  try {
    readDatabaseAddress(text)
  } catch (error) {
    message = String(error)
  }
  expect(message).toContain('DATABASE_URL')
  expect(message).toContain(reason)
  expect(message).not.toContain('secret')
})
