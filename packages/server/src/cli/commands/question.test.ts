// Question commands: their requests and output.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const question = {
  question_id: 'q_1',
  member: { member_id: 'mb_1', name: 'Jiwoo Han' },
  text: 'May we?',
  page: null,
  call_id: null,
  state: 'waiting',
  asked_at: '2026-11-21T09:00:00.000Z',
  answer: null,
  answered_at: null,
  audience: null,
  team_id: 'red',
  team_alias: 'Red Pandas',
  answered_by: null,
  announcement_id: null,
}

test('list reads all pages of waiting questions', async () => {
  const page = (next: string | null) => ({ items: [question], waiting: 2, next, ...moment })
  const listed = await runCli(['question', 'list', '--waiting'], [page('q_1'), page(null)])
  expect(listed.requests.map(({ address }) => address)).toEqual([
    'http://127.0.0.1:4002/questions?state=waiting&limit=200',
    'http://127.0.0.1:4002/questions?state=waiting&limit=200&after=q_1',
  ])
  expect(listed.stdout).toContain('Jiwoo Han')
})

test('answer goes to the team, or to all', async () => {
  const answered = { ...question, state: 'answered', answer: 'Yes.', audience: 'team', answered_by: 'ada' }
  const own = await runCli(['question', 'answer', 'q_1', 'Yes.'], [{ ...answered, ...moment }])
  expect(own.requests).toMatchObject([
    {
      method: 'POST',
      address: 'http://127.0.0.1:4002/questions/q_1/answer',
      body: { text: 'Yes.', audience: 'team' },
    },
  ])
  expect(own.stdout).toBe('Red Pandas sees the answer on its page.\n')
  const reported = { ...answered, audience: 'all', announcement_id: 'an_1' }
  const all = await runCli(['question', 'answer', 'q_1', 'Yes.', '--all'], [{ ...reported, ...moment }])
  expect(all.requests).toMatchObject([{ body: { text: 'Yes.', audience: 'all' } }])
  expect(all.stdout).toBe(
    'Red Pandas sees the answer on its page, and all teams see it as announcement an_1.\n',
  )
})
