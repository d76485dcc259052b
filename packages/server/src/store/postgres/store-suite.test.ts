// The store on PostgreSQL against the suite of all engines, and what only a database server does.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import type { Store } from '../store.ts'
import { buildCharge, emptyBatch } from '../testing/build-ledger-rows.ts'
import { createTestPostgres, findTestPostgres, type TestDatabase } from '../testing/create-test-postgres.ts'
import { failureOf } from '../testing/failure-of.ts'
import { describeStore } from '../testing/store-suite.ts'
import { openPostgresStore } from './open-postgres-store.ts'

const server = findTestPostgres() ?? 'postgres://127.0.0.1:1/none'
const reportFailure = () => undefined
const batch = (callId: string) => ({ ...emptyBatch, charges: [buildCharge(callId)] })

describeStore('PostgreSQL', async () => {
  const database = await createTestPostgres(server)
  const store = await openPostgresStore({ connectionString: database.url, reportFailure })
  const dispose = async () => {
    await store.close()
    await database.drop()
  }
  return { store, dispose }
})

describe('openPostgresStore', () => {
  test('a database in use is refused with what to do; closing frees it', async () => {
    const database = await createTestPostgres(server)
    const options = { connectionString: database.url, reportFailure }
    const first = await openPostgresStore(options)
    expect((await failureOf(openPostgresStore({ ...options, patienceMs: 0 }))).message).toMatch(
      /Another Fairgate process.*DATABASE_URL/,
    )
    const waiting = openPostgresStore(options)
    await first.close()
    await (await waiting).close()
    await database.drop()
  })

  // Shown to fail by leaving out `endPredecessors`.
  test('what a killed process had sent is not committed after the next one has begun', async () => {
    const database = await createTestPostgres(server)
    const options = { connectionString: database.url, reportFailure }
    await (await openPostgresStore(options)).close()
    const left = new Client({ connectionString: database.url, application_name: 'fairgate' })
    left.on('error', reportFailure)
    await left.connect()
    await left.query('begin')
    await left.query('create table left_over (id integer)')
    const store = await openPostgresStore(options)
    expect(await succeeds(left.query('commit'))).toBe(false)
    await store.close()
    await database.drop()
  })

  test('a database that cannot be reached is named by its setting, without its password', async () => {
    const connectionString = 'postgres://fairgate:a-secret-password@127.0.0.1:1/none'
    const { message } = await failureOf(openPostgresStore({ connectionString, reportFailure }))
    expect(message).toContain('DATABASE_URL')
    expect(message).not.toContain('a-secret-password')
  })

  describe('when its connections are cut', () => {
    let database: TestDatabase
    let store: Store
    let administrator: Client
    let firstHolder: number | undefined
    beforeEach(async () => {
      database = await createTestPostgres(server)
      store = await openPostgresStore({ connectionString: database.url, reportFailure })
      administrator = new Client({ connectionString: database.url })
      await administrator.connect()
      await store.write.commitLedger(batch('before'))
      firstHolder = await findHolder()
      await administrator.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'fairgate%' and datname = current_database()`,
      )
    })
    afterEach(async () => {
      await administrator.end()
      await store.close()
      await database.drop()
    })
    /** The connection that holds the lock, if any. */
    const findHolder = async (): Promise<number | undefined> => {
      const text = `select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where locktype = 'advisory' and datname = current_database()`
      return (await administrator.query<{ pid: number }>(text)).rows[0]?.pid
    }

    test('it connects again, takes its lock again and goes on', async () => {
      for (
        let holder = firstHolder;
        holder === undefined || holder === firstHolder;
        holder = await findHolder()
      ) {
        await Bun.sleep(20)
      }
      while (!(await succeeds(store.write.commitLedger(batch('after'))))) await Bun.sleep(20)
      expect(await store.read.sumCharges({ teamId: 'team-1' })).toMatchObject({ count: 2 })
      const second = openPostgresStore({ connectionString: database.url, reportFailure, patienceMs: 0 })
      expect((await failureOf(second)).message).toContain('Another Fairgate process')
    })

    test('it never writes again when another process has used the database meanwhile', async () => {
      const other = await openPostgresStore({ connectionString: database.url, reportFailure })
      await other.close()
      while (await succeeds(store.write.commitLedger(batch('after')))) await Bun.sleep(20)
      // Longer than it takes to try the lock again.
      await Bun.sleep(1500)
      expect((await failureOf(store.write.commitLedger(batch('later')))).message).toContain('lock')
      expect(await store.read.sumCharges({ teamId: 'team-1' })).toHaveProperty('count')
    })
  })
})

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
