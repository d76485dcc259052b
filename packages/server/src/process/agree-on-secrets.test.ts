// suite: 7 s
// A start with another join key than the first is refused, unless that very key is accepted; another admin key only logs a warning.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { failureOf } from '../store/testing/failure-of.ts'
import { agreeOnSecrets } from './agree-on-secrets.ts'

let folder: string
let store: Store
let warnings: string[]
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairgate-agree-'))
  store = await openSqliteStore(folder)
  warnings = []
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const start = (changes: object = {}) =>
  agreeOnSecrets(
    store.write,
    {
      adminKey: 'admin-key-of-the-tests',
      joinKey: Buffer.alloc(32, 1),
      joinKeyPlace: '/data/join-key',
      acceptedJoinKey: null,
      databaseUrl: 'postgres://somewhere/fairgate',
      ...changes,
    },
    1,
    { warn: (_, message) => warnings.push(message) },
  )

test('the same secrets start again and again, silently', async () => {
  await start()
  await start()
  expect(warnings).toEqual([])
})

test('another join key is refused with what to do, and accepted only by its own name', async () => {
  await start()
  const other = { joinKey: Buffer.alloc(32, 2) }
  const { message } = await failureOf(start(other))
  expect(message).toContain('/data/join-key is not the one')
  const [, accepted] = /FAIRGATE_ACCEPT_JOIN_KEY=([0-9a-f]{16})\.$/.exec(message) ?? []
  expect(accepted).toBeString()
  expect(message).not.toContain('0202')
  await failureOf(start({ joinKey: Buffer.alloc(32, 3), acceptedJoinKey: accepted }))
  await start({ ...other, acceptedJoinKey: accepted })
  await start(other)
  // A setting left in place does not hide the next change.
  await failureOf(start({ acceptedJoinKey: accepted }))
})

test('another admin key is reported once; on SQLite, which one process uses, it is not', async () => {
  await start()
  await start({ adminKey: 'another-admin-key-of-tests' })
  await start({ adminKey: 'another-admin-key-of-tests' })
  expect(warnings).toEqual([expect.stringContaining('give all of them the same FAIRGATE_ADMIN_KEY')])
  await start({ adminKey: 'a-third-admin-key-of-tests', databaseUrl: null })
  expect(warnings).toHaveLength(1)
})

test('the database holds neither key', async () => {
  await start()
  const facts = await store.read.readFacts({ prefix: '', since: 0 })
  expect(facts.map(({ name }) => name)).toEqual(['admin-key', 'join-key'])
  const text = JSON.stringify(facts)
  expect(text).not.toContain('admin-key-of-the-tests')
  expect(text).not.toContain(Buffer.alloc(32, 1).toString('hex'))
})
