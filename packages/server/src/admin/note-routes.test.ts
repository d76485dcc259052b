// Notes through the admin door: replies, permissions and refusals.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import { noteListSchema, noteReplySchema } from '@fairgate/contracts/management/notes.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { buildPackedEntries, sender } from '../store/testing/build-entry-to-append.ts'
import { openAdminDoor, type Reply } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  await door.post('/team/new', { team_id: 'red' })
  await door.post('/team/new', { team_id: 'blue' })
})
afterEach(() => door.close())

function readBody<Schema extends TSchema>(schema: Schema, { status, body }: Reply): Static<Schema> {
  expect({ status, body }).toMatchObject({ status: 200 })
  if (Value.Check(schema, body)) return body
  throw new Error(`The reply does not keep to its schema: ${JSON.stringify(body)}`)
}
const add = async (body: object) => readBody(noteReplySchema, await door.post('/notes', body))
const list = async (query = '') => readBody(noteListSchema, await door.get(`/notes${query}`))
const codeOf = ({ status, body }: Reply) => [status, Object(Object(body).error).code]

/** Permissions of a person with their own key. */
async function makeJudge(name: string) {
  const made = await door.post('/admin_keys', { name, role: 'judge' })
  const { key } = made.body as NewAdminKeyReply
  const ask = (method: string, path: string, body?: object) =>
    door.send(
      new Request(`http://door.test${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  return ask
}

test('a note is written, changed and deleted, and the audit keeps its earlier texts', async () => {
  const made = await add({ subject: 'team', team_id: 'red', text: 'Ask about the tests.' })
  expect(made).toMatchObject({
    subject: 'team',
    team_id: 'red',
    session_id: null,
    seq: null,
    author: 'admin',
  })
  door.time.now += 1000
  const changed = readBody(
    noteReplySchema,
    await door.post(`/notes/${made.note_id}`, { text: 'Asked.', reason: 'done' }),
  )
  expect(changed).toMatchObject({ text: 'Asked.', created_at: made.created_at })
  expect(changed.updated_at > made.updated_at).toBe(true)
  readBody(noteReplySchema, await door.remove(`/notes/${made.note_id}?reason=twice`))
  expect((await list()).items).toEqual([])
  expect((await door.readAudit()).slice(-3)).toMatchObject([
    { action: 'note.create', team_id: 'red', target: made.note_id, before: null },
    { action: 'note.update', before: { text: 'Ask about the tests.' }, after: { text: 'Asked.' } },
    { action: 'note.delete', before: { text: 'Asked.', author: 'admin' }, reason: 'twice' },
  ])
  expect(codeOf(await door.remove(`/notes/${made.note_id}`))).toEqual([404, 'note_not_found'])
  expect(codeOf(await door.post('/notes/nt_none', { text: 'x' }))).toEqual([404, 'note_not_found'])
})

test('notes on sessions and entries are found by their subject, page by page', async () => {
  await door.store.write.appendEntries({
    requests: [{ teamId: 'red', sender, entries: buildPackedEntries('one') }],
    now: door.time.now,
  })
  await add({ subject: 'session', team_id: 'red', session_id: 's-1', text: 'Odd.' })
  await add({ subject: 'entry', team_id: 'red', seq: 1, text: 'Look here.' })
  await add({ subject: 'team', team_id: 'red', text: 'Good.' })
  await add({ subject: 'team', team_id: 'blue', text: 'Good, too.' })
  const textsOf = async (query: string) => (await list(query)).items.map(({ text }) => text)
  expect(await textsOf('')).toEqual(['Good, too.', 'Good.', 'Look here.', 'Odd.'])
  expect(await textsOf('?team_id=red&subject=team')).toEqual(['Good.'])
  expect(await textsOf('?team_id=red&session_id=s-1')).toEqual(['Odd.'])
  expect(await textsOf('?team_id=red&seq=1')).toEqual(['Look here.'])
  expect(await textsOf('?author=nobody')).toEqual([])
  const first = await list('?team_id=red&limit=2')
  expect([first.items.length, first.total.count]).toEqual([2, 3])
  expect(await textsOf(`?team_id=red&limit=2&after=${first.next}`)).toEqual(['Odd.'])
  expect((await list(`?team_id=red&limit=2&after=${first.next}`)).next).toBeNull()
})

test('only the author or an organiser changes a note; every judge can read it', async () => {
  const [jiwoo, mateo] = [await makeJudge('Jiwoo'), await makeJudge('Mateo')]
  const made = readBody(
    noteReplySchema,
    await jiwoo('POST', '/notes', { subject: 'team', team_id: 'red', text: 'Mine.' }),
  )
  expect(made).toMatchObject({ author: 'Jiwoo', may_change: true })
  const seen = readBody(noteListSchema, await mateo('GET', '/notes?team_id=red'))
  expect(seen.items).toMatchObject([{ text: 'Mine.', may_change: false }])
  const path = `/notes/${made.note_id}`
  expect(codeOf(await mateo('POST', path, { text: 'Not yours.' }))).toEqual([403, 'admin_forbidden'])
  expect(codeOf(await mateo('DELETE', path))).toEqual([403, 'admin_forbidden'])
  readBody(noteReplySchema, await jiwoo('POST', path, { text: 'Still mine.' }))
  expect(readBody(noteReplySchema, await door.post(path, { text: 'By an organiser.' })).author).toBe('Jiwoo')
  readBody(noteReplySchema, await jiwoo('DELETE', path))
})

test.each([
  ['an unknown team', { subject: 'team', team_id: 'green', text: 'x' }, 404, 'team_not_found'],
  ['an unknown entry', { subject: 'entry', team_id: 'red', seq: 7, text: 'x' }, 404, 'entry_not_found'],
  ['an entry without its number', { subject: 'entry', team_id: 'red', text: 'x' }, 400, 'invalid_request'],
  ['a session without its id', { subject: 'session', team_id: 'red', text: 'x' }, 400, 'invalid_request'],
  [
    'a number without an entry subject',
    { subject: 'team', team_id: 'red', seq: 1, text: 'x' },
    400,
    'invalid_request',
  ],
  ['only blanks', { subject: 'team', team_id: 'red', text: '   ' }, 400, 'invalid_request'],
  [
    'a character that databases cannot store',
    { subject: 'team', team_id: 'red', text: 'a\u0000b' },
    400,
    'invalid_request',
  ],
  ['too long', { subject: 'team', team_id: 'red', text: 'x'.repeat(4001) }, 400, 'invalid_request'],
  ['an unknown subject', { subject: 'jury', team_id: 'red', text: 'x' }, 400, 'invalid_request'],
])('an invalid note is refused: %s', async (_name, body, status, code) => {
  expect(codeOf(await door.post('/notes', body))).toEqual([status, code])
})

test('an invalid query is refused', async () => {
  for (const query of ['?after=x', '?seq=1&session_id=s', '?subject=team&seq=1', '?seq=0'])
    expect(codeOf(await door.get(`/notes${query}`))).toEqual([400, 'invalid_request'])
  expect(codeOf(await door.get('/notes?team_id=green'))).toEqual([404, 'team_not_found'])
})
