// `logs list` and `logs show`: pages, filters, and the output of a line.
import { expect, test } from 'bun:test'
import { buildLoggedEntry, testHash } from '../testing/build-replies.ts'
import { runCli } from '../testing/run-cli.ts'

test('list shows what happened, and where the next list begins', async () => {
  const items = [
    buildLoggedEntry({ prompt: `a\nb ${'x'.repeat(200)}` }, 3),
    buildLoggedEntry({ event: 'PostToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } }, 2),
    {
      ...buildLoggedEntry({ event: 'Stop', response_summary: 'Done.', stop_reason: 'end' }, 1),
      ...{ ts: '2099-01-01T00:00:00.000000Z', received_at: '2026-11-21T01:00:00.000000Z' },
    },
  ]
  const given = ['logs', 'list', 'team-01', '--tool', 'codex', '--event', 'Stop', '--limit', '3']
  const reply = { items, next_before: '2026-11-21T01:00:00.000000000000000001Z' }
  const { stdout, requests, exitCode } = await runCli(given, [reply])
  expect(exitCode).toBe(0)
  expect(requests[0]?.address).toBe(
    'http://127.0.0.1:4002/logs/entries?team_id=team-01&tool=codex&event=Stop&limit=3',
  )
  expect(stdout).toMatch(
    /^team-01 +3 +2026-11-21T01:00:00Z +codex +UserPromptSubmit +…-of-the-test +a b x+…$/m,
  )
  expect(stdout).toMatch(/PostToolUse +…-of-the-test +Bash \{"command":"ls"\}$/m)
  expect(stdout).toMatch(
    /1 +2026-11-21T01:00:00Z \(claims 2099-01-01T00:00:00Z\) +codex +Stop +…-of-the-test +Done\.$/m,
  )
  expect(stdout).toContain('Older ones: --before 2026-11-21T01:00:00.000000000000000001Z\n')
})

test('a limit above one page reads further pages, and --json prints all as one', async () => {
  const page = (first: number, count: number, next: string | null) => ({
    items: Array.from({ length: count }, (_, index) => buildLoggedEntry({}, first - index)),
    next_before: next,
  })
  const pages = [page(300, 200, 'place-1~red'), page(100, 50, null)]
  const { stdout, requests } = await runCli(['logs', 'list', '--limit', '250', '--json'], pages)
  expect(requests.map(({ address }) => address.split('?')[1])).toEqual([
    'limit=200',
    'limit=50&before=place-1%7Ered',
  ])
  const reply = JSON.parse(stdout)
  expect(reply.items).toHaveLength(250)
  expect([reply.next, reply.next_before]).toEqual([null, undefined])
})

test('no entries', async () => {
  const { stdout } = await runCli(['logs', 'list'], [{ items: [], next_before: null }])
  expect(stdout).toBe('No entries.\n')
})

test('show prints the entry with every member', async () => {
  const reply = buildLoggedEntry({ unknown: { nested: ['member'] }, prompt: 'a prompt' }, 17)
  const { stdout, requests } = await runCli(['logs', 'show', 'team-01', testHash], [reply])
  expect(requests[0]?.address).toBe(`http://127.0.0.1:4002/logs/entry?team_id=team-01&entry=${testHash}`)
  expect(stdout).toMatch(/^seq +17$/m)
  expect(JSON.parse(stdout.slice(stdout.indexOf('\n\n')))).toEqual(reply.entry)
  const json = await runCli(['logs', 'show', 'team-01', '17', '--json'], [reply])
  expect(JSON.parse(json.stdout)).toEqual(reply)
})
