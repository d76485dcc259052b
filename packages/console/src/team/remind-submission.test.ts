// Reminders of the deadline: none while there is time or after handing in, and louder towards the end.
import { expect, test } from 'bun:test'
import { remindOfSubmission } from './remind-submission.ts'

const due = Date.parse('2026-11-21T18:00:00Z')
const minute = 60_000
const due_at = new Date(due).toISOString()
const current = { version: 1, handed_in_at: due_at, late: false, person: null }
const open = { due_at, current: null, open: true }

test.each([
  [121, null, ''],
  [120, 'info', '2 h left'],
  [31, 'info', '31 min left'],
  [30, 'warn', '30 min left'],
  [10, 'bad', '10 min left'],
  [0.5, 'bad', '30.0 s left'],
  [0, 'bad', 'You still can, marked as late'],
  [-600, 'bad', 'You still can, marked as late'],
] as const)('%p min before the deadline', (left, tone, text) => {
  const reminder = remindOfSubmission(open, due - left * minute)
  expect(reminder?.tone ?? null).toBe(tone)
  expect(reminder?.text ?? '').toContain(text)
})

test('a closed submission says so, and there is none after handing in or without a deadline', () => {
  expect(remindOfSubmission({ ...open, open: false }, due)?.text).toContain('closed')
  expect(remindOfSubmission({ ...open, current }, due - minute)).toBeNull()
  expect(remindOfSubmission({ ...open, due_at: null }, due)).toBeNull()
})
