// The first start: the schema is created as a whole or not at all.
import { expect, test } from 'bun:test'
import { Kysely, sql } from 'kysely'
import { openBunSqlite } from '../sqlite/bun-sqlite-dialect.ts'
import { failureOf } from '../testing/failure-of.ts'
import { migrate } from './migrate.ts'

// Fails without a transaction: every later start failed, because the tables that were created in time already existed.
test('a first start that fails halfway leaves no table behind, and the next one makes them all', async () => {
  const db = new Kysely<unknown>({ dialect: openBunSqlite(':memory:', 'write').dialect })
  const listTables = async () => (await db.introspection.getTables()).map(({ name }) => name)
  // In the way of one of the last tables.
  await sql`create table notes (note text)`.execute(db)
  await failureOf(migrate(db))
  expect(await listTables()).toEqual(['notes'])
  await sql`drop table notes`.execute(db)
  await migrate(db)
  expect(await listTables()).toContain('notes')
  await db.destroy()
})
