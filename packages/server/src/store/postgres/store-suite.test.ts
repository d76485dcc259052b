// The store on PostgreSQL against the suite of all engines, and what only a database server does.
import { describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { buildCharge } from '../testing/build-ledger-rows.ts'
import { createTestPostgres, findTestPostgres } from '../testing/create-test-postgres.ts'
import { failureOf } from '../testing/failure-of.ts'
import { describeStore } from '../testing/store-suite.ts'
import { openPostgresStore } from './open-postgres-store.ts'

const server = findTestPostgres() ?? 'postgres://127.0.0.1:1/none'
const reportFailure = () => undefined
const batch = (callId: string) => ({ opened: [], progress: [], charges: [buildCharge(callId)], dropped: [] })

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
    expect((await failureOf(openPostgresStore(options))).message).toMatch(
      /Another Fairgate process.*DATABASE_URL/,
    )
    await first.close()
    await (await openPostgresStore(options)).close()
    await database.drop()
  })

  test('a database that cannot be reached is named by its setting, without its password', async () => {
    const connectionString = 'postgres://fairgate:a-secret-password@127.0.0.1:1/none'
    const { message } = await failureOf(openPostgresStore({ connectionString, reportFailure }))
    expect(message).toContain('DATABASE_URL')
    expect(message).not.toContain('a-secret-password')
  })

  test('connections that are cut are made again; nothing is written while the lock is lost', async () => {
    const database = await createTestPostgres(server)
    const store = await openPostgresStore({ connectionString: database.url, reportFailure })
    await store.write.commitLedger(batch('before'))
    const administrator = new Client({ connectionString: server })
    await administrator.connect()
    const name = new URL(database.url).pathname.slice(1)
    await administrator.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ])
    await administrator.end()

    let refused = 0
    for (;;) {
      try {
        await store.write.commitLedger(batch('after'))
        break
      } catch {
        refused += 1
        await Bun.sleep(50)
      }
    }
    expect(refused).toBeGreaterThan(0)
    expect(await store.read.sumCharges({ teamId: 'team-1' })).toMatchObject({ count: 2 })
    await store.close()
    await database.drop()
  })
})
