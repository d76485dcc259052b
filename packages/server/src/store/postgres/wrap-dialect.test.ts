// suite: test on postgres
// A failed transaction reports its cause, not the rollback's error. On SQLite, because a full disk ends the transaction by itself
// there, so that a rollback fails without a lost connection.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Kysely, sql } from 'kysely'
import { openBunSqlite } from '../sqlite/bun-sqlite-dialect.ts'
import { failureOf } from '../testing/failure-of.ts'
import { keepFirstError } from './wrap-dialect.ts'

let db: Kysely<unknown>
beforeEach(async () => {
  db = new Kysely({ dialect: keepFirstError(openBunSqlite(':memory:', 'write').dialect) })
  await sql`create table rows (text text)`.execute(db)
})
afterEach(() => db.destroy())

const insert = (length: number) =>
  db.transaction().execute(async transaction => {
    await sql`insert into rows values (${'x'.repeat(length)})`.execute(transaction)
  })
/** Like a full disk: the database may have no more pages than it has. */
const fill = () => sql`PRAGMA max_page_count = 1`.execute(db)
const empty = () => sql`PRAGMA max_page_count = 1000000`.execute(db)

// Fails without `keepFirstError`: "cannot rollback - no transaction is active".
test('a full disk is reported as such, and the next transaction works', async () => {
  await fill()
  expect(await failureOf(insert(100_000))).toMatchObject({ code: 'SQLITE_FULL' })
  await empty()
  await insert(100_000)
})

test('a transaction left open is ended before the next one begins', async () => {
  await failureOf(
    db.transaction().execute(async transaction => {
      await sql`insert into rows values ('left')`.execute(transaction)
      // The rollback that follows fails, because another transaction has begun by then.
      await sql`rollback`.execute(transaction)
      throw new Error('a reason')
    }),
  )
  await sql`begin`.execute(db)
  await insert(1)
  expect((await sql<{ count: number }>`select count(*) as count from rows`.execute(db)).rows).toEqual([
    { count: 1 },
  ])
})
