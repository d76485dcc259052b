// A start on an unusable data folder: one sentence says what is wrong and what to do, and nothing is changed.
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failureOf } from '../testing/failure-of.ts'
import { openTestDatabase } from '../testing/open-test-database.ts'
import { openSqliteStore } from './open-sqlite-store.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairgate-open-'))
  path = join(folder, 'fairgate.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const make = async () => (await openTestDatabase(path)).close()
const run = (text: string) => {
  const database = new Database(path, { create: true })
  database.run(text)
  database.close()
}
const overwrite = (from: number) => {
  const descriptor = openSync(path, 'r+')
  const bytes = Buffer.alloc(statSync(path).size - from, 0x5a)
  writeSync(descriptor, bytes, 0, bytes.length, from)
  closeSync(descriptor)
}

const cases: [string, () => unknown, RegExp][] = [
  ['a text file', () => writeFileSync(path, 'This is no database.'.repeat(100)), /not a database.*backup/],
  ['a folder in its place', () => mkdirSync(path), /is not a file/],
  [
    'a database of another program',
    () => run('create table recipes (name text)'),
    /another program.*"recipes"/,
  ],
  [
    'a database of a newer version',
    async () => {
      await make()
      run("insert into kysely_migration values ('999-later', '2030-01-01T00:00:00.000Z')")
    },
    /newer version.*999-later/,
  ],
  [
    'a database of a version before the first release',
    async () => {
      await make()
      run("update kysely_migration set name = '001-directory'")
    },
    /before 0\.1\.0.*new data folder/,
  ],
  [
    'a file that was cut',
    async () => {
      await make()
      truncateSync(path, 8192)
    },
    /malformed.*backup/,
  ],
  [
    'a file that was overwritten behind its first page',
    async () => {
      await make()
      overwrite(4096)
    },
    /malformed.*backup/,
  ],
]

test.each(cases)('%s', async (_name, prepare, expected) => {
  await prepare()
  const before = statSync(path).isFile() ? readFileSync(path) : null
  const { message } = await failureOf(openSqliteStore(folder))
  expect(message).toMatch(expected)
  expect(message).toContain(path)
  expect(message).not.toContain('\n')
  if (before !== null) expect(readFileSync(path).equals(before)).toBe(true)
  // The folder is free again.
  rmSync(path, { recursive: true })
  await (await openSqliteStore(folder)).close()
})

test('a file in place of the data folder is not mistaken for another process', async () => {
  writeFileSync(path, '')
  expect((await failureOf(openSqliteStore(path))).message).toContain(
    `The data folder ${path} cannot be created`,
  )
})

test('a lock that cannot be opened is not mistaken for another process', async () => {
  mkdirSync(join(folder, 'fairgate.lock'))
  const { message } = await failureOf(openSqliteStore(folder))
  expect(message).toContain(`The data folder ${folder} cannot be used`)
  expect(message).not.toContain('Another')
})
