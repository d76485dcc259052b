// Collects all pages of a session up to the size limit, with a file name that is valid everywhere.
import { expect, test } from 'bun:test'
import type { SessionItem } from '@fairgate/contracts/console/session-view.ts'
import { collectSession, nameSessionFile } from './collect-session.ts'

const item = (ref: string): SessionItem => ({
  kind: 'entry',
  at: '2026-11-21T09:00:00Z',
  ref,
  entry: null,
  call: null,
})
const pages = [
  { items: [item('a#1'), item('a#2')], next: '1' },
  { items: [item('a#3')], next: null },
]
const readPage = async ({ after }: { readonly after: string | null }) => {
  const page = pages[Number(after ?? 0)]
  if (page === undefined) throw new Error('No such page.')
  return page
}

test('every page is read and reported once', async () => {
  const reported: number[] = []
  const { items, isWhole } = await collectSession({
    readPage,
    maxBytes: 10_000,
    report: count => void reported.push(count),
  })
  expect(items.map(({ ref }) => ref)).toEqual(['a#1', 'a#2', 'a#3'])
  expect({ isWhole, reported }).toEqual({ isWhole: true, reported: [2, 3] })
})

test('a session that is too large ends with the last item that fits', async () => {
  const maxBytes = 2 * (JSON.stringify(item('a#1')).length + 1)
  const { items, isWhole } = await collectSession({ readPage, maxBytes, report: () => undefined })
  expect({ count: items.length, isWhole }).toEqual({ count: 2, isWhole: false })
})

test('the file is named by team and session', () => {
  expect(nameSessionFile('night-ferry', '7f2c91d4')).toBe('night-ferry-7f2c91d4.json')
  expect(nameSessionFile('a', '../../etc:x')).toBe('a-.._.._etc_x.json')
})
