// Announcements through the admin door: replies and refusals.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  announcementListSchema,
  announcementReplySchema,
} from '@fairgate/contracts/management/announcements.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { openAdminDoor, type Reply } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of ['red', 'blue']) await door.post('/team/new', { team_id })
})
afterEach(() => door.close())

function readBody<Schema extends TSchema>(schema: Schema, { status, body }: Reply): Static<Schema> {
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const announce = async (body: object) =>
  readBody(announcementReplySchema, await door.post('/announcements', body))
const list = async (query = '') => readBody(announcementListSchema, await door.get(`/announcements${query}`))

test('an announcement is listed until it is removed; adding and removing are audited with actor and reason', async () => {
  const made = await announce({ text: ' Lunch ', link: 'https://a.example', reason: 'noon' })
  expect(made).toMatchObject({
    text: 'Lunch',
    audience: 'all',
    state: 'shown',
    shown_to: 2,
    read_count: 0,
  })
  expect((await list()).items).toMatchObject([{ announcement_id: made.announcement_id }])
  const removed = await door.remove(`/announcements/${made.announcement_id}?reason=over`)
  expect(readBody(announcementReplySchema, removed)).toMatchObject({ state: 'removed', shown_to: 0 })
  expect((await list()).items).toEqual([])
  expect((await list('?past=true')).total).toEqual({ count: 1 })
  const again = await door.remove(`/announcements/${made.announcement_id}`)
  expect(again).toMatchObject({ status: 404, body: { error: { code: 'announcement_not_found' } } })
  const rows = (await door.readAudit()).filter(({ action }) => action.startsWith('announcement.'))
  expect(rows.map(({ action, reason }) => [action, reason])).toEqual([
    ['announcement.new', 'noon'],
    ['announcement.remove', 'over'],
  ])
})

test('times without an offset are read in the event time zone', async () => {
  await door.post('/event', { name: 'AI Cup', time_zone: 'Asia/Seoul' }, 'PUT')
  const made = await announce({
    text: 'Demos',
    from: '2030-11-21T18:00',
    until: '2030-11-21T19:00',
    teams: ['red'],
  })
  expect(made).toMatchObject({
    state: 'coming',
    from: '2030-11-21T09:00:00.000Z',
    until: '2030-11-21T10:00:00.000Z',
    audience: ['red'],
    shown_to: 0,
  })
})

test('pages do not repeat or skip', async () => {
  for (const text of ['one', 'two', 'three']) await announce({ text })
  const first = await list('?limit=2')
  const second = await list(`?limit=2&after=${first.next}`)
  expect([...first.items, ...second.items].map(({ text }) => text)).toEqual(['three', 'two', 'one'])
  expect(second.next).toBeNull()
})

test.each([
  ['no text', { text: '  ' }, 'invalid_request', 'text'],
  ['two lines', { text: 'a\nb' }, 'invalid_request', 'text'],
  ['an unknown team', { text: 'a', teams: ['green'] }, 'team_not_found', 'team_id'],
  ['no team', { text: 'a', teams: [] }, 'invalid_request', 'teams'],
  ['an end in the past', { text: 'a', until: '2020-01-01T00:00Z' }, 'invalid_request', 'until'],
  [
    'an end before its start',
    { text: 'a', from: '2031-01-01T00:00Z', until: '2030-01-01T00:00Z' },
    'invalid_request',
    'until',
  ],
  ['an invalid link', { text: 'a', link: 'javascript:alert(1)' }, 'invalid_request', 'link'],
  ['an unknown member', { text: 'a', audience: 'all' }, 'invalid_request', 'audience'],
])('%s is refused', async (_name, body, code, param) => {
  expect(await door.post('/announcements', body)).toMatchObject({ body: { error: { code, param } } })
  expect((await list()).items).toEqual([])
})
