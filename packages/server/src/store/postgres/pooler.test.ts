// suite: test on postgres
// The store behind pgbouncer with transaction pooling, which turns one connection of ours into many sessions: supported uses, and refusals.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { startPgbouncer, type TestPooler } from '../../../../../scripts/testing/start-pgbouncer.ts'
import { buildCharge, emptyBatch } from '../testing/build-ledger-rows.ts'
import { createTestPostgres, findTestPostgres, type TestDatabase } from '../testing/create-test-postgres.ts'
import { failureOf } from '../testing/failure-of.ts'
import { openPostgresStore } from './open-postgres-store.ts'

const server = findTestPostgres()
const reportFailure = () => undefined
/** The settings that docs/postgresql.md requires. */
const ignored = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout'

describe.skipIf(server === null || !existsSync('/usr/sbin/pgbouncer'))('behind pgbouncer', () => {
  let database: TestDatabase
  let pooler: TestPooler
  beforeAll(async () => {
    database = await createTestPostgres(server ?? '')
    const started = await startPgbouncer(database.url, ignored)
    if (started === null) throw new Error('pgbouncer is not installed.')
    pooler = started
  })
  afterAll(async () => {
    await pooler.stop()
    await database.drop()
  })

  test('a start needs PostgreSQL itself as well, and the refusal says so', async () => {
    const { message } = await failureOf(openPostgresStore({ connectionString: pooler.url, reportFailure }))
    expect(message).toStartWith('DATABASE_URL leads through a connection pooler')
    expect(message).toContain('DATABASE_DIRECT_URL')
  })

  test('with the direct address for the lock, the rest goes through the pooler', async () => {
    const options = {
      connectionString: pooler.url,
      directConnectionString: database.url,
      reportFailure,
    }
    const store = await openPostgresStore(options)
    await commitMany(store.write.commitLedger)
    await store.close()
  })

  // Hangs on the build that locked the session for its migrations: the lock stayed with an idle connection of the pooler.
  test('several start at once and send more statements than the pooler has connections', async () => {
    const stores = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(() =>
        openPostgresStore({
          connectionString: pooler.url,
          directConnectionString: database.url,
          reportFailure,
        }),
      ),
    )
    for (const store of stores) await commitMany(store.write.commitLedger)
    for (const store of stores) await store.close()
  })

  /** Also by hot statements, and statements of other sizes in turns. */
  async function commitMany(commit: (batch: typeof emptyBatch) => Promise<unknown>): Promise<void> {
    const batches = Array.from({ length: 60 }, (_, batch) =>
      Array.from({ length: 1 + (batch % 7) }, () => buildCharge(crypto.randomUUID())),
    )
    await Promise.all(batches.map(charges => commit({ ...emptyBatch, charges })))
  }

  test('a pooler that refuses our time-outs ends the start with its own message', async () => {
    const strict = await startPgbouncer(database.url, 'extra_float_digits')
    const { message } = await failureOf(
      openPostgresStore({
        connectionString: strict?.url ?? '',
        directConnectionString: database.url,
        reportFailure,
      }),
    )
    expect(message).toMatch(/DATABASE_URL: .*unsupported startup parameter/)
    await strict?.stop()
  })
})
