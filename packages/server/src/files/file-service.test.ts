// Uploaded files and images by address are removed when their time is over, however many there are, and files not before the event ends.

import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { emptyEvent, endOf } from '../directory/event/event.ts'
import type { StoredFile } from '../store/statements/files.ts'
import { FileParts } from './file-parts.ts'
import { FileService } from './file-service.ts'

function open(rows: Map<string, StoredFile>, canRemove: (name: string) => boolean = () => true) {
  const removed: string[] = []
  const unused = () => Promise.reject(new Error('Not used here.'))
  const files = new FileService({
    store: {
      read: {
        readFile: unused,
        listFiles: unused,
        listExpiredFiles: async ({ limit }) => [...rows.values()].slice(0, limit),
      },
      write: {
        startFile: unused,
        addFilePart: unused,
        finishFile: unused,
        hideFile: unused,
        deleteFile: async ({ fileId }) => void rows.delete(fileId),
      },
    },
    parts: new FileParts({
      copies: {
        save: unused,
        read: unused,
        remove: async name => {
          if (!canRemove(name)) throw new Error('The store is away.')
          removed.push(name)
        },
      },
      reportFailure: () => undefined,
    }),
    idPrefix: 'file',
    randomBytes,
    maxBytes: 1,
    bounds: { files: 1, bytes: 1 },
    keptUntil: now => now,
    noteRemoved: () => undefined,
    clock: () => 0,
  })
  return { files, removed }
}

const rowsOf = (count: number) =>
  new Map(
    Array.from({ length: count }, (_, index) => {
      const fileId = `image-${index}`
      return [
        fileId,
        {
          teamId: 'team',
          fileId,
          keyHash: '',
          purpose: 'image_by_address',
          filename: '',
          mimeType: 'image/png',
          bytes: 1,
          parts: [1],
          sha256: null,
          isReady: false,
          createdAt: 0,
          expiresAt: 0,
        },
      ] as const
    }),
  )

// Shown to fail by listing once per sweep: 50 a minute are fewer than teams make.
test('one sweep removes everything that is expired', async () => {
  const rows = rowsOf(170)
  const { files, removed } = open(rows)
  await files.sweep()
  expect(rows.size).toBe(0)
  expect(removed).toContain('image-169_0')
})

test('what cannot be removed stays for the next sweep, and keeps nothing else', async () => {
  const rows = rowsOf(60)
  await open(rows, name => name !== 'image-3_0').files.sweep()
  expect([...rows.keys()]).toEqual(['image-3'])
  await open(rowsOf(60), () => false).files.sweep()
})

test('the event ends with its last open phase, or when it was ended', () => {
  const phase = (from: number, until: number | null, gateway: 'open' | 'closed' = 'open') => ({
    name: '',
    from,
    until,
    gateway,
    models: null,
    budgetNano: null,
    accounting: 'continue' as const,
    entriesUntil: null,
    submissionsUntil: null,
  })
  expect(endOf(emptyEvent)).toBeNull()
  expect(endOf({ phases: [phase(1, 2), phase(3, 4), phase(4, 9, 'closed')], ended: null })).toBe(4)
  expect(endOf({ phases: [phase(1, null)], ended: null })).toBeNull()
  expect(endOf({ phases: [phase(1, 9)], ended: { at: 5, entriesUntil: 5, reason: '' } })).toBe(5)
})
