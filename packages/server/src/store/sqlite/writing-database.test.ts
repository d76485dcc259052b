// Transactions of the writing thread: a failed one reports its cause, not the rollback's error, and they run one after another.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { failureOf } from '../testing/failure-of.ts'
import { WritingDatabase } from './writing-database.ts'

let db: WritingDatabase
beforeEach(() => {
  db = new WritingDatabase(':memory:')
  db.run('create table texts (text text)', [])
})
afterEach(() => db.destroy())

const insert = (text: string) => async () => void db.run('insert into texts values (?)', [text])
const write = (work: () => Promise<void>) => db.inTurn(() => db.transact(work))
const count = () => db.run('select text from texts', []).length

// Fails if a rollback's own error is thrown: "cannot rollback - no transaction is active".
test('a full disk is reported as such, and the next transaction works', async () => {
  const large = insert('x'.repeat(100_000))
  // Like a full disk: the database may have no more pages than it has.
  db.run('PRAGMA max_page_count = 1', [])
  expect(await failureOf(write(large))).toMatchObject({ code: 'SQLITE_FULL' })
  db.run('PRAGMA max_page_count = 1000000', [])
  await write(large)
  expect(count()).toBe(1)
})

test('writes of a failed transaction are gone', async () => {
  const failure = write(async () => {
    await insert('lost')()
    throw new Error('a reason')
  })
  expect((await failureOf(failure)).message).toBe('a reason')
  expect(count()).toBe(0)
})

test('a transaction left open is ended before the next one begins', async () => {
  db.run('begin', [])
  await insert('left')()
  await write(insert('next'))
  expect(db.run('select text from texts', [])).toEqual([{ text: 'next' }])
})

// Fails if `work` runs at once: the second transaction then rolls the first one back.
test('a waiting transaction keeps the next ones waiting', async () => {
  const pause = Promise.withResolvers<void>()
  const first = write(async () => {
    await insert('first')()
    await pause.promise
  })
  const second = write(insert('second'))
  pause.resolve()
  await Promise.all([first, second])
  expect(count()).toBe(2)
})

test('a failed transaction does not harm the next one', async () => {
  const first = failureOf(write(() => Promise.reject(new Error('a reason'))))
  const second = write(insert('second'))
  expect((await first).message).toBe('a reason')
  await second
  expect(count()).toBe(1)
})
