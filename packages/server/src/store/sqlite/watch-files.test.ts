// Commits into a file that no longer exists: refused before they are acknowledged, at once and not at the next check.
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { classifyFailure } from '../classify-failure.ts'
import { buildCharge, emptyBatch } from '../testing/build-ledger-rows.ts'
import { failureOf } from '../testing/failure-of.ts'
import { type Connection, openConnection } from './open-connection.ts'
import { type FileChange, watchFiles } from './watch-files.ts'

let folder: string
let path: string
let writer: Connection
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairgate-watch-'))
  path = join(folder, 'fairgate.db')
  writer = await openConnection({ path, mode: 'write' })
})
afterEach(async () => {
  await writer.close().catch(() => undefined)
  rmSync(folder, { recursive: true, force: true })
})

const commit = (callId: string) =>
  writer.run('commitLedger', { ...emptyBatch, charges: [buildCharge(callId)] })
const damaged = (isPermanent: boolean) =>
  ({ scope: 'store', reason: 'database_damaged', isPermanent }) as const
const overwrite = (file: string, from: number) => {
  const descriptor = openSync(file, 'r+')
  const bytes = Buffer.alloc(statSync(file).size - from, 0x5a)
  writeSync(descriptor, bytes, 0, bytes.length, from)
  closeSync(descriptor)
}
/** The clock of a file system may stand still for some milliseconds. */
const writeLater = (file: string) => {
  const later = new Date(statSync(file).mtimeMs + 1000)
  utimesSync(file, later, later)
}
/** As another program may do: checkpoints the log into the file, so that damage to the file is damage to stored data. */
const fold = () => {
  const other = new Database(path)
  other.run('PRAGMA wal_checkpoint(TRUNCATE)')
  other.close()
}

describe('the next commit is refused', () => {
  // Each fails on the previous version, which acknowledged the commit.
  const losses: [string, (file: string) => void][] = [
    ['deleted', file => rmSync(file)],
    ['moved away', file => renameSync(file, `${file}.aside`)],
    [
      'replaced by a copy',
      file => {
        copyFileSync(file, `${file}.copy`)
        renameSync(`${file}.copy`, file)
      },
    ],
  ]
  for (const part of ['', '-wal'])
    test.each(losses)(`when fairgate.db${part} was %s`, async (_how, lose) => {
      await commit('a')
      lose(`${path}${part}`)
      expect(classifyFailure(await failureOf(commit('b')))).toEqual(damaged(false))
      expect(classifyFailure(await failureOf(writer.check(null)))).toEqual(damaged(false))
    })

  const damages: [string, () => void][] = [
    ['overwritten', () => overwrite(path, 0)],
    ['overwritten behind its first page', () => overwrite(path, 4096)],
    ['cut', () => truncateSync(path, 8192)],
    ['emptied', () => truncateSync(path, 0)],
  ]
  // Fails without the probe: the writer has the pages in memory and continues.
  test.each(damages)('when the file was %s', async (_how, damage) => {
    await commit('a')
    fold()
    await commit('b')
    damage()
    expect(classifyFailure(await failureOf(commit('c')))).toEqual(damaged(false))
    expect(classifyFailure(await failureOf(writer.check('database_damaged')))).toEqual(damaged(true))
  })

  test('when the log was cut', async () => {
    fold()
    await commit('a')
    truncateSync(`${path}-wal`, 0)
    expect(classifyFailure(await failureOf(commit('b')))).toEqual(damaged(false))
    expect(classifyFailure(await failureOf(writer.check('database_damaged')))).toEqual(damaged(true))
  })

  // Fails on the previous build, for which the first wrong read was final.
  test('only once: a second read that finds it intact ends the suspicion', async () => {
    await commit('a')
    fold()
    await commit('b')
    const bytes = readFileSync(path)
    overwrite(path, 4096)
    expect(classifyFailure(await failureOf(commit('c')))).toEqual(damaged(false))
    writeFileSync(path, bytes)
    await writer.check('database_damaged')
    await commit('c')
  })
})

test('a commit is not confirmed if its file disappeared meanwhile', () => {
  const files = watchFiles(path, () => undefined)
  files.check()
  renameSync(path, `${path}.aside`)
  expect(() => files.confirm()).toThrow('deleted or moved')
  renameSync(`${path}.aside`, path)
  expect(() => files.confirm()).not.toThrow()
})

describe('files overwritten during a commit', () => {
  // Fails on the previous version, which took the file's new time for the effect of the commit.
  test('are found by that commit if the file itself was written', async () => {
    await commit('a')
    const seen: FileChange[] = []
    const files = watchFiles(path, change => seen.push(change))
    files.check()
    writeLater(path)
    files.confirm()
    expect(seen).toEqual(['folded'])
  })

  // Fails on the previous version, which took any log of the right length for its own.
  test('are found by the next check if only the log was written after it', async () => {
    await commit('a')
    const seen: FileChange[] = []
    const files = watchFiles(path, change => seen.push(change))
    files.check()
    files.confirm()
    writeLater(`${path}-wal`)
    files.check()
    expect(seen).toEqual(['written'])
  })
})

test('a file that is put back is used again', async () => {
  renameSync(path, `${path}.aside`)
  await failureOf(commit('a'))
  renameSync(`${path}.aside`, path)
  await commit('a')
  await writer.check('database_damaged')
})

test('harmless changes by others: a new time, a log folded by another program', async () => {
  await commit('a')
  utimesSync(path, new Date(1000), new Date(1000))
  await commit('b')
  fold()
  await commit('c')
  await writer.check(null)
  const reader = await openConnection({ path, mode: 'read' })
  expect(await reader.run('sumCharges', { teamId: 'team-1' })).toMatchObject({ count: 3 })
  await reader.close()
})

test('closing leaves the log of another database in its place alone', async () => {
  await commit('a')
  for (const part of ['', '-wal']) {
    renameSync(`${path}${part}`, `${path}${part}.aside`)
    copyFileSync(`${path}${part}.aside`, `${path}${part}`)
  }
  await failureOf(writer.close())
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
})
