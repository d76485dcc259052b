// Announcements are shown once in a clone, and nothing that a server answers harms the terminal or the push.
import { expect, test } from 'bun:test'
import type { CallLogbook, LogbookReply } from '../logbook/call-logbook.ts'
import { openSpool } from '../spool/spool.ts'
import { createMemoryFiles } from '../spool/testing/memory-files.ts'
import { describeAnnouncements, readAnnouncements, takeUnshown } from './announcements.ts'

const answering =
  (body: unknown, status = 200): CallLogbook =>
  async () => ({
    kind: 'reply',
    status,
    body,
    isEmpty: false,
    teamId: null,
    location: null,
    retryAfterMs: null,
  })
const lunch = { announcement_id: 'an_1', text: 'Lunch', link: null, from: '', until: null }
const openTestSpool = () =>
  openSpool('/repo/.git/fairgate', {
    files: createMemoryFiles(() => 0),
    now: () => new Date(0),
    processId: 1,
    random: () => 0.5,
  })

test('each is shown once in a clone', () => {
  const spool = openTestSpool()
  const one = { id: 'an_1', text: 'Lunch', link: null }
  const two = { id: 'an_2', text: 'Demos', link: 'https://a.example/' }
  expect(takeUnshown(spool, [one])).toEqual([one])
  expect(takeUnshown(spool, [two, one])).toEqual([two])
  expect(takeUnshown(spool, [two, one])).toEqual([])
})

test('a file written by another program does not suppress announcements', () => {
  const spool = openTestSpool()
  spool.writeAtomically(spool.layout.announced, '{"torn')
  expect(takeUnshown(spool, [{ id: 'an_1', text: 'Lunch', link: null }])).toHaveLength(1)
})

test.each<[string, CallLogbook]>([
  ['an older logbook', answering({ error: {} }, 404)],
  ['another service', answering('<html>')],
  ['an odd list', answering({ items: 'none' })],
  ['nobody', async (): Promise<LogbookReply> => ({ kind: 'unreachable', message: 'refused' })],
])('%s: nothing is known', async (_name, call) => {
  expect(await readAnnouncements(call, 100)).toBeNull()
})

test('invalid announcements are dropped, and an invalid link is ignored', async () => {
  const items = [
    lunch,
    null,
    7,
    { text: 'no id' },
    { ...lunch, text: 'x'.repeat(5000) },
    { ...lunch, link: 7 },
  ]
  expect(await readAnnouncements(answering({ items }), 100)).toEqual([
    { id: 'an_1', text: 'Lunch', link: null },
    { id: 'an_1', text: 'Lunch', link: null },
  ])
})

test('prints one line for any text', () => {
  const announcement = { id: 'an_1', text: 'a\n\u001b[31mb\u202e', link: null }
  expect(describeAnnouncements([])).toBeNull()
  expect(describeAnnouncements([announcement])).toBe(
    'fairgate-recorder: the organisers say: a\\u{a}\\u{1b}[31mb\\u{202e}',
  )
  expect(
    describeAnnouncements([{ ...announcement, text: 'Lunch', link: 'https://a.example/' }, announcement]),
  ).toBe(
    'fairgate-recorder: the organisers say: Lunch https://a.example/ (1 more: "fairgate-recorder status")',
  )
})
