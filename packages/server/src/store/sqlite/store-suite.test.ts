// suite: 18 s
// The embedded store against the suite of all engines, and behaviour that only a store in a folder has.
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildCharge, emptyBatch } from '../testing/build-ledger-rows.ts'
import { failureOf } from '../testing/failure-of.ts'
import { describeStore } from '../testing/store-suite.ts'
import { openSqliteStore } from './open-sqlite-store.ts'

const makeFolder = () => mkdtempSync(join(tmpdir(), 'fairgate-store-'))
const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true })

describeStore('SQLite', async () => {
  const folder = makeFolder()
  const store = await openSqliteStore(folder)
  const database = new Database(join(folder, 'fairgate.db'))
  database.run('pragma busy_timeout = 10000')
  const tables = database
    .query<{ name: string }, []>(
      "select name from sqlite_master where type = 'table' and name not like 'kysely%'",
    )
    .all()
  const empty = async () => {
    database.transaction(() => {
      for (const { name } of tables) database.run(`delete from "${name}"`)
    })()
  }
  const dispose = async () => {
    database.close()
    await store.close()
    removeFolder(folder)
  }
  return { store, empty, dispose }
})

describe('openSqliteStore', () => {
  let folder: string
  beforeEach(() => {
    folder = makeFolder()
  })
  afterEach(() => removeFolder(folder))

  test('makes the folder, and finds everything again when reopened', async () => {
    const inner = join(folder, 'deep', 'data')
    const first = await openSqliteStore(inner)
    await first.write.commitLedger({ ...emptyBatch, charges: [buildCharge('a')] })
    await first.close()
    expect(existsSync(join(inner, 'fairgate.db'))).toBe(true)
    const second = await openSqliteStore(inner)
    expect(await second.read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 10 })
    await second.close()
  })

  test('a folder in use is refused with what to do; closing frees it', async () => {
    const first = await openSqliteStore(folder)
    expect((await failureOf(openSqliteStore(folder))).message).toMatch(/FAIRGATE_DATA_DIR/)
    await first.close()
    const second = await openSqliteStore(folder)
    await second.close()
  })

  test('an invalid database is refused with its reason, and the folder is free again', async () => {
    await Bun.write(join(folder, 'fairgate.db'), 'This is not a database.'.repeat(100))
    expect((await failureOf(openSqliteStore(folder))).message).toMatch(/not a database/)
    removeFolder(join(folder, 'fairgate.db'))
    await (await openSqliteStore(folder)).close()
  })

  test("a failed statement carries the engine's code", async () => {
    const store = await openSqliteStore(folder)
    const bad = { ...buildCharge('a'), periods: { team: null as unknown as number, key: 1000 } }
    const failure = store.write.commitLedger({ ...emptyBatch, charges: [bad] })
    expect(await failureOf(failure)).toMatchObject({ code: 'SQLITE_CONSTRAINT_NOTNULL' })
    await store.close()
  })
})
