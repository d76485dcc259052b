// Engine tests: uploaded files. Bounds hold for uploads at once, and no team reaches another's.
import { expect, test } from 'bun:test'
import type { StoredFile } from '../../statements/files.ts'
import type { Current } from './store-actions.ts'

const build = (fileId: string, changes: Partial<StoredFile> = {}): StoredFile => ({
  teamId: 'team-1',
  fileId,
  keyHash: 'key-1',
  purpose: 'user_data',
  filename: 'notes.txt',
  mimeType: 'text/plain',
  bytes: 10,
  parts: [],
  sha256: null,
  isReady: false,
  createdAt: 1000,
  expiresAt: 2000,
  ...changes,
})
const bounds = { files: 3, bytes: 100 }
const ref = { teamId: 'team-1', fileId: 'a' }
const finish = {
  ref,
  purpose: 'vision',
  bytes: 9,
  mimeType: 'application/pdf',
  sha256: 'ab',
  expiresAt: 5000,
} as const
const page = { teamId: 'team-1', now: 1500, limit: 10, order: 'desc', purpose: null, after: null } as const

export function describeFiles(current: Current): void {
  test('an upload is its parts, then a file', async () => {
    const { read, write } = current()
    expect(await write.startFile({ file: build('a'), bounds })).toBeNull()
    expect(await write.addFilePart({ ref, seen: [], size: 4 })).toBe(true)
    expect(await write.addFilePart({ ref, seen: [], size: 4 })).toBe(false)
    expect(await write.addFilePart({ ref, seen: [4], size: 6 })).toBe(true)
    expect(await read.listFiles(page)).toEqual([])
    const { ref: _, ...facts } = finish
    const whole = { ...facts, parts: [4, 6], isReady: true }
    expect(await write.finishFile(finish)).toEqual(build('a', whole))
    expect(await write.finishFile(finish)).toBeNull()
    expect(await read.readFile({ ...ref, now: 4999 })).toEqual(build('a', whole))
    expect(await read.readFile({ ...ref, now: 5000 })).toBeNull()
    expect(await read.readFile({ ...ref, teamId: 'team-2', now: 1500 })).toBeNull()
  })

  test('the bounds of a team hold for uploads that start at once', async () => {
    const { read, write } = current()
    const start = (fileId: string, changes: Partial<StoredFile> = {}) =>
      write.startFile({ file: build(fileId, changes), bounds })
    const ended = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(id => start(id)))
    expect(ended.toSorted()).toEqual(['files', 'files', null, null, null])
    expect(await start('f', { teamId: 'team-2', bytes: 101 })).toBe('bytes')
    expect(await start('f', { teamId: 'team-2', bytes: 100 })).toBeNull()
    expect(await start('g', { teamId: 'team-2', bytes: 1 })).toBe('bytes')
    // Images by address are counted apart.
    const image = { teamId: 'team-2', purpose: 'image_by_address' } as const
    expect(await start('h', { ...image, bytes: 60 })).toBeNull()
    expect(await start('i', { ...image, bytes: 60 })).toBe('bytes')
    const count = (areImages: boolean) => read.countFiles({ teamId: 'team-2', areImages })
    expect([await count(true), await count(false)]).toEqual([
      { files: 1, bytes: 60 },
      { files: 1, bytes: 100 },
    ])
  })

  test('pages follow time and id, in both orders', async () => {
    const { read, write } = current()
    const places = [
      ['a', 1000],
      ['b', 1000],
      ['c', 1001],
    ] as const
    for (const [fileId, createdAt] of places) {
      await write.startFile({ file: build(fileId, { createdAt, isReady: true }), bounds })
    }
    const idsOf = async (changes: Partial<Parameters<typeof read.listFiles>[0]>) =>
      (await read.listFiles({ ...page, ...changes })).map(({ fileId }) => fileId)
    expect(await idsOf({})).toEqual(['c', 'b', 'a'])
    expect(await idsOf({ order: 'asc', limit: 2 })).toEqual(['a', 'b'])
    expect(await idsOf({ after: { createdAt: 1000, fileId: 'b' } })).toEqual(['a'])
    expect(await idsOf({ purpose: 'vision' })).toEqual([])
    expect(await idsOf({ teamId: 'team-2' })).toEqual([])
  })

  test('a deleted file is gone at once, and listed for removal until its bytes are', async () => {
    const { read, write } = current()
    await write.startFile({ file: build('a', { isReady: true }), bounds })
    expect((await write.hideFile(ref))?.fileId).toBe('a')
    expect(await write.hideFile(ref)).toBeNull()
    expect(await read.readFile({ ...ref, now: 0 })).toBeNull()
    expect(await write.finishFile(finish)).toBeNull()
    expect((await read.listExpiredFiles({ now: 1500, limit: 10 })).map(({ fileId }) => fileId)).toEqual(['a'])
    await write.deleteFile(ref)
    expect(await read.listExpiredFiles({ now: 1500, limit: 10 })).toEqual([])
  })
}
