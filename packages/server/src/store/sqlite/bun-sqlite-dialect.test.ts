// Statements stay prepared by their text, regardless of the number of texts.
import { expect, test } from 'bun:test'
import { Kysely, sql } from 'kysely'
import { openBunSqlite } from './bun-sqlite-dialect.ts'

test('a statement works again after many others, and after its table has changed', async () => {
  const db = new Kysely<unknown>({ dialect: openBunSqlite(':memory:', 'write').dialect })
  await sql`create table numbers (value integer)`.execute(db)
  await sql`insert into numbers values (7)`.execute(db)
  const readAll = async () => (await sql`select * from numbers`.execute(db)).rows
  expect(await readAll()).toEqual([{ value: 7 }])
  for (let index = 0; index < 600; index += 1) {
    const text = `select ${index} as value`
    expect((await sql.raw(text).execute(db)).rows).toEqual([{ value: index }])
  }
  expect(await readAll()).toEqual([{ value: 7 }])
  await sql`alter table numbers add column name text`.execute(db)
  expect(await readAll()).toEqual([{ value: 7, name: null }])
  await db.destroy()
})
