// suite: test on postgres; 42 s
// The store on PostgreSQL against the suite of all engines, and behaviour that only a database server has.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import { Client, Pool } from 'pg'
import { startCutProxy } from '../../../journeys/testing/cut-proxy.ts'
import type { Schema } from '../schema/schema.ts'
import { appendEntries } from '../statements/append-entries.ts'
import type { LedgerBatch } from '../statements/ledger-batch.ts'
import type { Store } from '../store.ts'
import { buildPackedEntries, sender } from '../testing/build-entry-to-append.ts'
import { buildCharge, emptyBatch } from '../testing/build-ledger-rows.ts'
import { createTestPostgres, findTestPostgres, type TestDatabase } from '../testing/create-test-postgres.ts'
import { failureOf } from '../testing/failure-of.ts'
import { describeStore } from '../testing/store-suite.ts'
import { lockWholeDatabase } from './hold-database-lock.ts'
import { openPostgresStore } from './open-postgres-store.ts'
import { getTypeParser } from './type-parser.ts'

const server = findTestPostgres() ?? 'postgres://127.0.0.1:1/none'
const reportFailure = () => undefined
const batch = (callId: string) => ({ ...emptyBatch, charges: [buildCharge(callId)] })

describeStore('PostgreSQL', async () => {
  const database = await createTestPostgres(server, { isEmpty: true })
  const opened = await openPostgresStore({ connectionString: database.url, reportFailure })
  const client = new Client({ connectionString: database.url })
  await client.connect()
  // No foreign key of another table is in the way: all can be removed.
  await client.query('set session_replication_role = replica')
  const { rows } = await client.query<{ name: string; kind: string }>(
    `select relname as name, relkind::text as kind from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') and relname not like 'kysely%'`,
  )
  // `truncate` takes 80 ms for all tables, this 5: it makes no new files.
  const emptying = rows
    .map(({ name, kind }) => (kind === 'S' ? `alter sequence "${name}" restart` : `delete from "${name}"`))
    .join('; ')
  const admitted = new Set<string>()
  const empty = async () => {
    admitted.clear()
    await client.query(emptying)
  }
  /** Streams and orders have the row that `admit_2` left, until they end. */
  const admit = async ({ process, opened: streams, videoTasks }: LedgerBatch) => {
    for (const { teamId, callId, keyHash, modelId, periods } of [...streams, ...videoTasks]) {
      if (admitted.has(`${teamId} ${callId}`)) continue
      admitted.add(`${teamId} ${callId}`)
      await client.query(
        `insert into running_calls (team_id, call_id, process_id, kind, key_hash, model_id, admitted_at, team_period, key_period,
          amount_nano, event_nano, reserved_tokens) values ($1, $2, $3, 'call', $4, $5, 2000, $6, $7, 0, 0, 0)`,
        [teamId, callId, process.processId, keyHash, modelId, periods.team, periods.key],
      )
    }
  }
  const store: Store = {
    ...opened,
    write: {
      ...opened.write,
      commitLedger: async batch => {
        await admit(batch)
        await opened.write.commitLedger(batch)
      },
    },
  }
  const dispose = async () => {
    await client.end()
    await store.close()
    await database.drop()
  }
  return { store, empty, dispose }
})

// Fails without `forUpdate` in statements/append-entries.ts.
test('a feed reads no number before all lower ones are committed, however late', async () => {
  const database = await createTestPostgres(server)
  const store = await openPostgresStore({ connectionString: database.url, reportFailure })
  const pool = new Pool({ connectionString: database.url, types: { getTypeParser } })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const requests = (teamId: string, name: string) => [{ teamId, sender, entries: buildPackedEntries(name) }]
  const readTeam = async (teamId: string) => {
    const range = { teamId, afterSeq: 0, throughSeq: 1000, limit: 100, maximumBytes: 1e6 }
    return (await store.read.readEntriesBetween({ ...range, toolKey: null, eventKey: null })).rows
  }
  await store.write.appendEntries({ requests: requests('late', 'before'), now: null })
  const inserted = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const late = db.transaction().execute(async transaction => {
    await appendEntries(transaction, { requests: requests('late', 'first'), now: null })
    inserted.resolve()
    await mayCommit.promise
  })
  await inserted.promise
  const second = store.write.appendEntries({ requests: requests('late', 'second'), now: null })
  await store.write.appendEntries({ requests: requests('other', 'first'), now: null })
  const [other] = await readTeam('other')
  expect((await readTeam('late')).map(({ seq }) => seq)).toEqual([1])
  mayCommit.resolve()
  await late
  expect(await second).toMatchObject([{ stored: 1, head: { seq: 3 } }])
  const rows = await readTeam('late')
  expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3])
  // By the time of their receipt the reader would have missed it: only a team's numbers give an order to follow.
  expect(rows[1]?.receivedMicros).toBeLessThan(other?.receivedMicros ?? 0)
  await db.destroy()
  await store.close()
  await database.drop()
})

describe('openPostgresStore', () => {
  test('during a restore a start is refused with what to do, or waits', async () => {
    const database = await createTestPostgres(server)
    // A pool ends before its connections do, so dropping the database may still cut one.
    const pool = new Pool({ connectionString: database.url }).on('error', () => undefined)
    const restore = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
    const options = { connectionString: database.url, reportFailure }
    const waiting = await restore.transaction().execute(async transaction => {
      await lockWholeDatabase(transaction)
      expect((await failureOf(openPostgresStore({ ...options, patienceMs: 0 }))).message).toStartWith(
        'A restore is running on this database',
      )
      return { store: openPostgresStore(options) }
    })
    await (await waiting.store).close()
    await restore.destroy()
    await database.drop()
  })

  test('several processes open an empty database at once and write', async () => {
    const database = await createTestPostgres(server, { isEmpty: true })
    const options = { connectionString: database.url, reportFailure }
    const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore(options)))
    await Promise.all(stores.map((store, index) => store.write.commitLedger(batch(`call-${index}`))))
    expect(await stores[0]?.read.sumCharges({ teamId: 'team-1' })).toMatchObject({ count: 3 })
    for (const store of stores) await store.close()
    await database.drop()
  })

  test('a silently lost network: the store continues over new connections', async () => {
    const database = await createTestPostgres(server)
    const network = await startCutProxy(database.url)
    const store = await openPostgresStore({ connectionString: network.url, reportFailure })
    await store.write.commitLedger(batch('before'))
    network.forget()
    while (!(await succeeds(store.write.commitLedger(batch('after'))))) await Bun.sleep(20)
    expect(await store.read.sumCharges({ teamId: 'team-1' })).toMatchObject({ count: 2 })
    await store.close()
    await network.cut()
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
    let role: string
    let firstHolder: number | undefined
    beforeEach(async () => {
      database = await createTestPostgres(server)
      administrator = new Client({ connectionString: database.url })
      await administrator.connect()
      role = `role_${randomUUID().replaceAll('-', '')}`
      await administrator.query(`create role ${role} superuser login`)
      const url = new URL(database.url)
      url.username = role
      store = await openPostgresStore({ connectionString: url.href, reportFailure })
      await store.write.commitLedger(batch('before'))
      firstHolder = await findHolder()
    })
    afterEach(async () => {
      await administrator.end()
      await store.close()
      await database.drop()
      const client = new Client({ connectionString: server })
      await client.connect()
      await client.query(`drop role ${role}`)
      await client.end()
    })
    const cut = () =>
      administrator.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role])
    /** The connection that holds the lock, if any. */
    const findHolder = async (): Promise<number | undefined> => {
      const text = `select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where locktype = 'advisory' and datname = current_database()`
      return (await administrator.query<{ pid: number }>(text)).rows[0]?.pid
    }

    test('it connects again, takes its lock again and continues', async () => {
      await cut()
      for (
        let holder = firstHolder;
        holder === undefined || holder === firstHolder;
        holder = await findHolder()
      ) {
        await Bun.sleep(20)
      }
      while (!(await succeeds(store.write.commitLedger(batch('after'))))) await Bun.sleep(20)
      expect(await store.read.sumCharges({ teamId: 'team-1' })).toMatchObject({ count: 2 })
    })
  })
})

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
