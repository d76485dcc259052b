// Machines with video copies in different folders are named; those that share one, or are gone, are not.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { compareEveryMs, compareFolders } from './compare-folders.ts'

let root: string
let store: Store
let now: number
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'fairgate-folders-'))
  store = await openSqliteStore(root)
  now = 1_000_000_000
})
afterEach(async () => {
  await store.close()
  rmSync(root, { recursive: true })
})

/** The hosts that a start on this host and folder warns about. */
async function start(host: string, folder: string): Promise<readonly string[]> {
  let warned: readonly string[] = []
  await compareFolders({
    folder: join(root, folder),
    store,
    host,
    newId: randomUUID,
    clock: () => now,
    warn: hosts => {
      warned = hosts
    },
  })
  return warned
}

test('two machines on one folder, after any number of starts', async () => {
  expect(await start('one', 'shared')).toEqual([])
  expect(await start('two', 'shared')).toEqual([])
  expect(await start('one', 'shared')).toEqual([])
})

test('two machines on two folders see each other, until one leaves or shares a folder', async () => {
  expect(await start('one', 'of-one')).toEqual([])
  expect(await start('two', 'of-two')).toEqual(['one'])
  expect(await start('one', 'of-one')).toEqual(['two'])
  expect(await start('two', 'of-one')).toEqual([])
  expect(await start('three', 'of-three')).toEqual(['one', 'two'])
  now += 3 * compareEveryMs
  expect(await start('three', 'of-three')).toEqual([])
})
