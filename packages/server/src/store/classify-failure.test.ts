// Tests which failures affect the whole store, for every code that the engines and the driver have returned.
import { describe, expect, test } from 'bun:test'
import { classifyFailure } from './classify-failure.ts'
import { isReportedByStore, isStoreFailure, StoreUnavailable } from './store-unavailable.ts'

const coded = (code: string) => Object.assign(new Error('a message'), { code })
const reasonOf = (error: unknown) => {
  const found = classifyFailure(error)
  return found.scope === 'store' ? found.reason : found.scope
}

test.each([
  ['SQLITE_CORRUPT', 'database_damaged'],
  ['SQLITE_CORRUPT_INDEX', 'database_damaged'],
  ['SQLITE_NOTADB', 'database_damaged'],
  ['SQLITE_READONLY_DBMOVED', 'database_damaged'],
  ['SQLITE_FULL', 'database_full'],
  ['SQLITE_READONLY', 'database_read_only'],
  ['SQLITE_READONLY_DIRECTORY', 'database_read_only'],
  ['SQLITE_IOERR_WRITE', 'database_unavailable'],
  ['SQLITE_IOERR_SHORT_READ', 'database_unavailable'],
  ['SQLITE_CANTOPEN', 'database_unavailable'],
  ['SQLITE_PROTOCOL', 'database_unavailable'],
  ['SQLITE_BUSY', 'moment'],
  ['SQLITE_BUSY_SNAPSHOT', 'moment'],
  ['SQLITE_CONSTRAINT_NOTNULL', 'statement'],
  ['SQLITE_ERROR', 'statement'],
  ['SQLITE_MISMATCH', 'statement'],
  ['08006', 'database_unavailable'],
  ['08P01', 'database_unavailable'],
  ['28P01', 'database_unavailable'],
  ['3D000', 'database_unavailable'],
  ['53300', 'database_unavailable'],
  ['57P01', 'database_unavailable'],
  ['57P03', 'database_unavailable'],
  ['58030', 'database_unavailable'],
  ['53100', 'database_full'],
  ['25006', 'database_read_only'],
  ['XX001', 'database_damaged'],
  ['XX002', 'database_damaged'],
  ['40001', 'moment'],
  ['40P01', 'moment'],
  ['55P03', 'moment'],
  ['57014', 'moment'],
  ['23505', 'statement'],
  ['22P02', 'statement'],
  ['42601', 'statement'],
  ['XX000', 'statement'],
  ['ECONNREFUSED', 'database_unavailable'],
  ['ECONNRESET', 'database_unavailable'],
  ['EPIPE', 'database_unavailable'],
  ['ETIMEDOUT', 'database_unavailable'],
  ['ENOTFOUND', 'database_unavailable'],
  ['ENOSPC', 'database_full'],
  ['EROFS', 'database_read_only'],
])('%s: %s', (code, expected) => {
  expect<string>(reasonOf(coded(code))).toBe(expected)
})

describe('errors without a code from the driver', () => {
  test.each([
    'Connection terminated unexpectedly',
    'Connection terminated',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Query read timeout',
    'Cannot use a pool after calling end on the pool',
    'Postgres connection has been discarded',
  ])('%s', message => {
    expect(reasonOf(new Error(message))).toBe('database_unavailable')
  })
})

test("our own failures are not the database's: errors without a code, and values that are not errors", () => {
  expect(reasonOf(new TypeError('undefined is not a function'))).toBe('statement')
  expect(reasonOf('a text')).toBe('statement')
})

test('a batch is not divided for an error unrelated to its rows, and a failure already reported is not reported again', () => {
  const away = new StoreUnavailable('database_unavailable', coded('57P01'))
  const slow = new StoreUnavailable(null, coded('57014'))
  expect([away, slow, coded('SQLITE_FULL'), coded('23505')].map(isStoreFailure)).toEqual([
    true,
    true,
    true,
    false,
  ])
  const wrapped = new Error('the answer to a client', { cause: away })
  expect([away, wrapped, slow, coded('SQLITE_FULL')].map(isReportedByStore)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
