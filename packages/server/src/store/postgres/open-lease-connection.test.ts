// suite: test on postgres
// The lease of a process on a real PostgreSQL: renewed by its clock, not after a death, and within bounded time in any state of the server.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Client } from 'pg'
import type { Store } from '../store.ts'
import { createTestPostgres, findTestPostgres, type TestDatabase } from '../testing/create-test-postgres.ts'
import { failureOf } from '../testing/failure-of.ts'
import { ServerChoice } from './choose-server.ts'
import { readDatabaseAddress } from './database-address.ts'
import { type LeaseConnection, openLeaseConnection } from './open-lease-connection.ts'
import { openPostgresStore } from './open-postgres-store.ts'

const server = findTestPostgres() ?? 'postgres://127.0.0.1:1/none'
let database: TestDatabase
let store: Store
let client: Client
let lease: LeaseConnection
beforeEach(async () => {
  database = await createTestPostgres(server)
  store = await openPostgresStore({
    connectionString: database.url,
    directConnectionString: null,
    reportFailure: () => undefined,
  })
  client = new Client({ connectionString: database.url })
  await client.connect()
  lease = openLeaseConnection(new ServerChoice(readDatabaseAddress(database.url)))
  await store.write.registerProcess({ processId: 'a', version: '1', leaseMs: 5000 })
})
afterEach(async () => {
  await lease.close()
  await client.end()
  await store.close()
  await database.drop()
})

const renew = (changes: object = {}) =>
  lease.renew({ processId: 'a', leaseMs: 60_000, directoryVersion: 7, catalogHash: 'aa', ...changes })
/** How long the lease lasts, in ms of the database's clock. */
async function left(): Promise<number> {
  const text = `select lease_until - extract(epoch from clock_timestamp()) * 1000 as left from processes where process_id = 'a'`
  return Number((await client.query<{ left: string }>(text)).rows[0]?.left)
}

test('a renewal sets the lease by the database clock, and reports the current versions', async () => {
  expect(await left()).toBeLessThanOrEqual(5000)
  expect(await renew()).toBe(true)
  const ms = await left()
  expect(ms > 5000 && ms <= 60_000).toBe(true)
  // A change noted during this renewal is not undone.
  await renew({ directoryVersion: 3 })
  const { rows } = await client.query('select directory_version, catalog_hash from processes')
  expect(rows).toEqual([{ directory_version: '7', catalog_hash: 'aa' }])
})

// Fails without `lease_until > 0`.
test('an expired lease can be renewed until another process has begun to end its work', async () => {
  await client.query('update processes set lease_until = 1')
  expect(await store.read.findDeadProcesses({ processId: 'b', withUnknown: false })).toEqual(['a'])
  expect(await renew()).toBe(true)
  const sweep = { process: { processId: 'b', slot: 1 }, deadProcessId: 'a', now: 1, limit: 1 }
  expect(await store.write.sweepCalls(sweep)).toMatchObject({ isOver: true })
  expect(await renew()).toBe(true)
  await client.query('update processes set lease_until = 0')
  expect(await renew()).toBe(false)
  await client.query('delete from processes')
  expect(await renew()).toBe(false)
})

test('a lost connection is opened again with the next renewal', async () => {
  await renew()
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'fairgate-lease'",
  )
  // The lost connection may be known by now, or be discovered by this renewal.
  await renew().catch(() => undefined)
  expect(await renew()).toBe(true)
})

test('a database that does not answer fails a renewal in time, and the next one succeeds', async () => {
  await renew()
  await client.query('begin')
  await client.query('select from processes for update')
  await failureOf(renew())
  // The lease is still valid, so the next renewal is in time.
  expect(await left()).toBeGreaterThan(0)
  await client.query('rollback')
  expect(await renew()).toBe(true)
})
