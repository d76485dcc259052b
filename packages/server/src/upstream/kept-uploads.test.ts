// Uploads of large files: shared by waiting calls, ended with the last of them, few at a time, and forgotten before the store is full.
import { expect, test } from 'bun:test'
import { KeptUploads, type Uploaded } from './kept-uploads.ts'
import type { LargeFile, LargeFiles } from './large-files.ts'

const keyOf = (id: string) => ({ id, secret: id })
const key = keyOf('k')
const none = new AbortController().signal

const fileOf = (fileId: string): LargeFile => ({
  fileId,
  mimeType: 'video/mp4',
  bytes: 10,
  mark: `mark-${fileId}`,
  content: async function* () {},
})

function open(maxKeptBytes = 1000) {
  const started: string[] = []
  const removed: string[] = []
  const running = new Map<string, (uploaded?: Uploaded) => void>()
  const uploads = new KeptUploads({
    upload: ({ fileId }, { id }, signal) => {
      started.push(`${fileId}/${id}`)
      return new Promise((resolve, reject) => {
        const uploaded = { name: `${fileId}/${id}`, address: `https://v/${fileId}"`, livesMs: 48 * 3_600_000 }
        running.set(fileId, (given = uploaded) => resolve(given))
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    },
    remove: async ({ name }) => void removed.push(name),
    clock: () => 0,
    maxKeptBytes,
  })
  const ask = (fileIds: readonly string[], client = none, by = key) => {
    const files = new Map(fileIds.map(id => [id, fileOf(id)]))
    const large: LargeFiles = { files, client, sent: { isSent: false } }
    const body = uploads.fill({ uri: fileIds.map(id => `mark-${id}`) }, large)
    return { large, body, written: body.write(by, none) }
  }
  const finish = async (fileId: string) => {
    running.get(fileId)?.()
    await Bun.sleep(0)
  }
  return { uploads, started, removed, ask, finish }
}

test('calls that wait for the same file share its upload, which goes on until the last has left', async () => {
  const { started, ask, finish } = open()
  const [staying, leaving] = [new AbortController(), new AbortController()]
  const one = ask(['a'], staying.signal)
  const other = ask(['a'], leaving.signal)
  leaving.abort('left')
  expect(await other.written.catch(reason => reason)).toBe('left')
  await finish('a')
  // An address is written as JSON writes it.
  expect(await one.written).toBe('{"uri":["https://v/a\\""]}')
  expect([one.large.sent.isSent, other.large.sent.isSent]).toEqual([true, false])
  await ask(['a']).written
  expect(started).toEqual(['a/k'])
  const last = ask(['b'], staying.signal)
  staying.abort('left')
  expect(await last.written.catch(reason => reason)).toBe('left')
  void ask(['b'])
  expect(started).toEqual(['a/k', 'b/k', 'b/k'])
})

test('four files are uploaded at once, and the next when one is there', async () => {
  const { started, ask, finish } = open()
  for (const id of ['a', 'b', 'c', 'd', 'e']) ask([id]).written.catch(() => undefined)
  await Bun.sleep(0)
  expect(started).toEqual(['a/k', 'b/k', 'c/k', 'd/k'])
  await finish('b')
  expect(started).toEqual(['a/k', 'b/k', 'c/k', 'd/k', 'e/k'])
})

// Shown to fail without `#makeRoom`: the store of a project is full after 20 GB.
test('what was used least lately is deleted there before a key has too much, and each key has its own', async () => {
  const { started, removed, ask, finish } = open(25)
  for (const id of ['a', 'b']) {
    const { written } = ask([id])
    await finish(id)
    await written
  }
  await ask(['a']).written
  const third = ask(['c'])
  await finish('c')
  await third.written
  expect(removed).toEqual(['b/k'])
  const ofOther = ask(['a'], none, keyOf('other'))
  await finish('a')
  await ofOther.written
  await ask(['a']).written
  expect(started).toEqual(['a/k', 'b/k', 'c/k', 'a/other'])
})

test('a file that is gone here is deleted there, for each key', async () => {
  const { uploads, started, removed, ask, finish } = open()
  for (const by of [key, keyOf('other')]) {
    const { written } = ask(['a'], none, by)
    await finish('a')
    await written
  }
  uploads.forgetFile('a')
  uploads.forgetFile('unknown')
  await Bun.sleep(0)
  expect(removed).toEqual(['a/k', 'a/other'])
  void ask(['a'])
  expect(started).toEqual(['a/k', 'a/other', 'a/k'])
})

test('a key whose files the upstream no longer knows gets them again, and nothing that another call has renewed is lost', async () => {
  const { started, ask, finish } = open()
  const one = ask(['a'])
  await finish('a')
  await one.written
  const other = ask(['a'])
  await other.written
  one.body.forget(key)
  const again = one.body.write(key, none)
  await finish('a')
  await again
  other.body.forget(key)
  await other.body.write(key, none)
  expect(started).toEqual(['a/k', 'a/k'])
})
