// Submission commands: their requests and output.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const links = { repository: 'red/tides', commit: '9f2c1ab', demo_url: null, video_url: null }
const head = { version: 2, handed_in_at: '2026-11-21T08:59:00.000Z', late: true, person: 'Jiwoo Han' }
const row = {
  team_id: 'red',
  team_alias: 'Red Pandas',
  state: 'late',
  version: 2,
  first_at: '2026-11-21T08:00:00.000Z',
  handed_in_at: head.handed_in_at,
  person: 'Jiwoo Han',
  title: 'Tides',
  ...links,
  files: 1,
  lacks: ['summary', 'demo_url', 'video_url'],
}

test('list shows a row per team', async () => {
  const total = { handed_in: 0, late: 1, missing: 0 }
  const reply = { ...moment, asked: true, due_at: null, total, items: [row] }
  const listed = await runCli(['submission', 'list', '--state', 'late'], [reply])
  expect(listed.requests).toMatchObject([{ address: 'http://127.0.0.1:4002/submissions?state=late' }])
  expect(listed.stdout).toMatch(/red\s+late\s+2026-11-21T08:59:00\.000Z\s+2\s+Jiwoo Han\s+Tides\s+red\/tides/)
})

test('show has the texts, the files and the occurrence in the log, or says that there is nothing', async () => {
  const file = { file_id: 'submitted-1', filename: 'slides.pdf', mime_type: 'application/pdf' }
  const shown = {
    ...head,
    ...links,
    title: 'Tides',
    summary: 'Safe hours.',
    disclosure: null,
    files: [{ ...file, bytes: 3, sha256: 'ab' }],
  }
  const named = { repository_entries: 12, commit_entries: 0, commit_last_at: null, looked_at: 40 }
  const team = { ...moment, team_id: 'red', team_alias: 'Red Pandas', due_at: null }
  const reply = { ...team, shown, versions: [head, { ...head, version: 1 }], named_in_log: named }
  const read = await runCli(['submission', 'show', 'red', '2'], [reply])
  expect(read.requests).toMatchObject([{ address: 'http://127.0.0.1:4002/submissions/red?version=2' }])
  expect(read.stdout).toContain('12 entries of the repository, 0 at the commit')
  expect(read.stdout).toContain('slides.pdf (submitted-1)')
  expect(read.stdout).toEndWith('Summary:\nSafe hours.\n')
  const none = await runCli(
    ['submission', 'show', 'red'],
    [{ ...team, shown: null, versions: [], named_in_log: null }],
  )
  expect(none.stdout).toBe('red has handed in nothing.\n')
})
