// The commands of notes: what they ask the admin door, and how people read the answers.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const note = {
  note_id: 'nt_1',
  subject: 'team',
  team_id: 'red',
  session_id: null,
  seq: null,
  text: 'Ask about\nthe tests.',
  author: 'Jiwoo',
  may_change: true,
  created_at: '2026-11-21T09:00:00.000Z',
  updated_at: '2026-11-21T09:00:00.000Z',
}

test('add names what the note is about', async () => {
  const bodyOf = async (given: readonly string[]) =>
    (await runCli(['note', 'add', 'red', 'Odd.', ...given], [{ ...note, ...moment }])).requests[0]?.body
  expect(await bodyOf([])).toEqual({ subject: 'team', team_id: 'red', text: 'Odd.' })
  expect(await bodyOf(['--session', 's'])).toEqual({
    subject: 'session',
    team_id: 'red',
    session_id: 's',
    text: 'Odd.',
  })
  expect(await bodyOf(['--entry', '7'])).toEqual({ subject: 'entry', team_id: 'red', seq: 7, text: 'Odd.' })
  expect((await runCli(['note', 'add', 'red', 'Odd.', '--entry', '0'])).exitCode).toBe(2)
})

test('list, change and delete', async () => {
  const list = { items: [note], next: null, total: { count: 3 }, ...moment }
  const listed = await runCli(['note', 'list', 'red', '--author', 'Jiwoo'], [list])
  expect(listed.requests).toMatchObject([
    { method: 'GET', address: 'http://127.0.0.1:4002/notes?team_id=red&limit=100&author=Jiwoo' },
  ])
  expect(listed.stdout).toMatch(
    /nt_1 +red +Jiwoo +2026-11-21T09:00:00.000Z +Ask about the tests\.\n1 of 3 notes\./,
  )
  const changed = await runCli(['note', 'change', 'nt_1', 'Asked.'], [{ ...note, ...moment }])
  expect(changed.requests).toMatchObject([
    { method: 'POST', address: 'http://127.0.0.1:4002/notes/nt_1', body: { text: 'Asked.' } },
  ])
  const deleted = await runCli(
    ['note', 'delete', 'nt_1', '--reason', 'twice'],
    [{ ...note, subject: 'entry', seq: 7, ...moment }],
  )
  expect(deleted.requests).toMatchObject([
    { method: 'DELETE', address: 'http://127.0.0.1:4002/notes/nt_1?reason=twice' },
  ])
  expect(deleted.stdout).toBe('Note nt_1 about red, entry 7 is deleted.\n')
})
