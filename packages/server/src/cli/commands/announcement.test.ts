// Announcement commands: their requests and output.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const lunch = {
  announcement_id: 'an_1',
  text: 'Lunch',
  link: 'https://a.example/',
  from: '2026-11-21T09:00:00.000Z',
  until: null,
  audience: ['red', 'blue'],
  state: 'shown',
  shown_to: 2,
  read_count: null,
  created_at: '2026-11-21T09:00:00.000Z',
  created_by: 'admin',
  removed_at: null,
}

test('announce sends the text, its teams and its end', async () => {
  const line = ['announce', 'Lunch', '--team', 'red,blue', '--until', '2026-11-21T14:00']
  const { stdout, requests } = await runCli(line, [{ ...lunch, ...moment }])
  const body = { text: 'Lunch', teams: ['red', 'blue'], until: '2026-11-21T14:00' }
  expect(requests).toMatchObject([{ method: 'POST', address: 'http://127.0.0.1:4002/announcements', body }])
  expect(stdout).toBe('Announcement an_1 is shown to 2 teams.\n')
})

test('list reads all pages, remove names the removed announcement', async () => {
  const read = { ...lunch, read_count: 1 }
  const page = (next: string | null) => ({
    items: [next === null ? lunch : read],
    next,
    total: { count: 2 },
    ...moment,
  })
  const listed = await runCli(['announcement', 'list', '--past'], [page('an_1'), page(null)])
  expect(listed.requests.map(({ address }) => address)).toEqual([
    'http://127.0.0.1:4002/announcements?past=true&limit=500',
    'http://127.0.0.1:4002/announcements?past=true&limit=500&after=an_1',
  ])
  expect(listed.stdout).toContain('Lunch (https://a.example/)')
  expect(listed.stdout).toMatch(/ 1 of 2 teams +Lunch/)
  expect(listed.stdout).toMatch(/ - +Lunch/)
  const removed = await runCli(
    ['announcement', 'remove', 'an_1', '--reason', 'over'],
    [{ ...lunch, ...moment }],
  )
  expect(removed.requests).toMatchObject([
    { method: 'DELETE', address: 'http://127.0.0.1:4002/announcements/an_1?reason=over' },
  ])
  expect(removed.stdout).toBe('Teams no longer see: Lunch\n')
})
