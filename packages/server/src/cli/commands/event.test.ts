// `fairgate event`, `phase` and `apply`: previews, output, and confirmations.
import { expect, test } from 'bun:test'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type { ActionReply } from '@fairgate/contracts/management/planned-action.ts'
import { refusal, runCli } from '../testing/run-cli.ts'

const event: EventRecord = {
  name: 'AI Cup',
  time_zone: 'Asia/Seoul',
  submission: null,
  cap_nano: 900_000_000_000,
  phase: 'contest',
  gateway: 'open',
  changes_at: '2026-11-21T09:00:00.000Z',
  phases: [
    {
      name: 'contest',
      from: '2026-11-21T01:00:00.000Z',
      until: '2026-11-21T09:00:00.000Z',
      gateway: 'open',
      models: null,
      budget_nano: 25_000_000_000,
      accounting: 'new',
      entries_until: null,
      submissions_until: null,
    },
  ],
  paused: null,
  ended: null,
  as_of: '2026-11-21T02:00:00.000Z',
  version: 7,
}
const action = (changes: Partial<ActionReply> = {}): ActionReply => ({
  applied: false,
  preview_id: 'pv_1',
  changes: [{ what: 'event.paused', subject: 'event', from: false, to: true, count: 1 }],
  warnings: [],
  meets: { teams: 60, running_calls: 3, open_streams: 2 },
  as_of: '2026-11-21T02:00:00.000Z',
  version: 8,
  ...changes,
})
const bodies = (requests: readonly { readonly body: unknown }[]) => requests.map(({ body }) => body)

test('an action previews its changes and then makes them', async () => {
  const run = await runCli(['event', 'pause', '--reason', 'alarm'], [action(), action({ applied: true })])
  expect(bodies(run.requests)).toEqual([
    { reason: 'alarm', dry_run: true },
    { reason: 'alarm', preview_id: 'pv_1' },
  ])
  expect([run.exitCode, run.stdout]).toEqual([
    0,
    'Done.\n  event.paused of event: false → true\nAffects 60 teams and 3 running calls (2 streams).\n',
  ])
})

test('a dry run changes nothing, and neither does an action without effect', async () => {
  const dry = await runCli(['event', 'extend', '15m', '--dry-run'], [action()])
  expect(bodies(dry.requests)).toEqual([{ by: '15m', dry_run: true }])
  expect(dry.stdout).toStartWith('This would change:\n')
  const none = await runCli(['event', 'resume'], [action({ changes: [] })])
  expect([none.stdout, none.requests.length]).toEqual(['No changes.\n', 1])
})

test('a warning needs confirmation by a person, or --yes', async () => {
  const replies = () => [action({ warnings: ['It lies in the past.'] }), action({ applied: true })]
  const end = ['event', 'end', '--at', '2026-11-21T10:00']
  const unasked = await runCli(end, replies())
  expect([unasked.exitCode, unasked.requests.length]).toEqual([1, 1])
  expect(unasked.stderr).toContain('warning: It lies in the past.')
  expect(unasked.stderr).toContain('add --yes')
  for (const [isYes, count] of [
    [true, 2],
    [false, 1],
  ] as const) {
    const asked = await runCli(end, replies(), { confirm: async () => isYes })
    expect([asked.exitCode, asked.requests.length]).toEqual([isYes ? 0 : 1, count])
  }
  expect((await runCli([...end, '--yes'], replies())).exitCode).toBe(0)
})

test('event show and phase now show times in the event time zone', async () => {
  const shown = await runCli(['event', 'show'], [event])
  expect(shown.stdout).toContain('900.00 USD over all teams')
  expect(shown.stdout).toContain('2026-11-21T10:00')
  const now = await runCli(['phase', 'now'], [event])
  expect(now.stdout).toContain('open; changes at 2026-11-21 18:00:00 +09:00 (Asia/Seoul)')
})

test('event set sends exact amounts, and none removes the cap', async () => {
  const set = await runCli(['event', 'set', '--cap', '900.000000001', '--dry-run'], [action()])
  expect(bodies(set.requests)).toEqual([{ cap_nano: 900_000_000_001, dry_run: true }])
  const none = await runCli(['event', 'set', '--cap', 'none', '--dry-run'], [action()])
  expect(bodies(none.requests)).toEqual([{ cap_nano: null, dry_run: true }])
  expect((await runCli(['event', 'set'])).exitCode).toBe(2)
})

test('phase set changes one member, replaces a phase by name, and sends the version it has read', async () => {
  const [phase] = event.phases
  const changed = await runCli(['phase', 'set', 'contest', '--budget', '30', '--dry-run'], [event, action()])
  expect(changed.requests[1]).toMatchObject({
    method: 'PUT',
    body: { version: 7, phases: [{ ...phase, budget_nano: 30_000_000_000 }] },
  })
  const added = await runCli(
    ['phase', 'set', 'practice', '--from', '2026-11-20T13:00', '--until', '2026-11-21T10:00', '--dry-run'],
    [event, action()],
  )
  expect(added.requests[1]?.body).toMatchObject({ phases: [{ name: 'practice' }, { name: 'contest' }] })
  expect((await runCli(['phase', 'set', 'finals', '--budget', '1'], [event])).exitCode).toBe(2)
  const removed = await runCli(['phase', 'remove', 'contest', '--dry-run'], [event, action()])
  expect(removed.requests[1]?.body).toMatchObject({ phases: [] })
  expect((await runCli(['phase', 'remove', 'finals'], [event])).exitCode).toBe(2)
})

test('apply sends the file and the member list that it names', async () => {
  const files: Record<string, string> = {
    'cup/event.yaml': 'teams: [{ id: red }]\nmembers: members.csv\n',
  }
  const readTextFile = async (path: string) => {
    const text = files[path] ?? (path.endsWith('cup/members.csv') ? 'team,name\nred,Jun\n' : undefined)
    if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    return text
  }
  const run = await runCli(['apply', 'cup/event.yaml', '--prune', '--dry-run'], [action()], { readTextFile })
  expect(bodies(run.requests)).toEqual([
    {
      file: files['cup/event.yaml'],
      files: { 'members.csv': 'team,name\nred,Jun\n' },
      prune: true,
      dry_run: true,
    },
  ])
  const missing = await runCli(['apply', 'nothing.yaml'], [], { readTextFile })
  expect([missing.exitCode, missing.stderr]).toEqual([1, 'Cannot read nothing.yaml (ENOENT).\n'])
  const json = await runCli(['--json', 'apply', 'cup/event.yaml'], [action({ changes: [] })], {
    readTextFile,
  })
  expect(JSON.parse(json.stdout)).toMatchObject({ applied: true, changes: [] })
})

test('apply summarises similar changes; --verbose and --json show each', async () => {
  const readTextFile = async () => 'teams: []'
  const changes = Array.from({ length: 31 }, (_, index) => ({
    what: 'team',
    subject: `team-${index}`,
    from: null,
    to: '',
    count: 1,
  }))
  const apply = (...line: string[]) =>
    runCli([...line, '--dry-run'], [action({ changes })], { readTextFile }).then(({ stdout }) => stdout)
  const short = await apply('apply', 'event.yaml')
  expect(short).toContain('  31 new teams: team-0, team-1, team-2 and 28 more\n')
  expect(short.split('\n')).toHaveLength(5)
  expect((await apply('apply', 'event.yaml', '--verbose')).match(/^ {2}team of team-\d+: /gm)).toHaveLength(
    31,
  )
  expect(JSON.parse(await apply('--json', 'apply', 'event.yaml')).changes).toHaveLength(31)
})

test('apply writes new keys to a new file, or makes none', async () => {
  const readTextFile = async () => 'teams: []'
  const changes = [{ what: 'key', subject: 'red/Haeun/laptop', from: null, to: 'laptop', count: 1 }]
  const secrets = [{ team_id: 'red', member: 'Haeun', alias: 'laptop', key: 'sk-1' }]
  const made = { ...action({ applied: true, changes }), secrets }
  const written: string[] = []
  const createFile = async () => ({
    write: async (bytes: Uint8Array) => void written.push(new TextDecoder().decode(bytes)),
    keep: async () => void written.push('kept'),
    discard: async () => void written.push('discarded'),
  })
  const replies = [{ ...action({ changes }), secrets: [] }, made]
  const run = await runCli(['apply', 'event.yaml', '--secrets', 'keys.jsonl'], replies, {
    readTextFile,
    createFile,
  })
  expect(run.exitCode).toBe(0)
  expect(run.stdout).not.toContain('sk-1')
  expect(written).toEqual([`${JSON.stringify(secrets[0])}\n`, 'kept'])

  const without = await runCli(['apply', 'event.yaml'], replies, { readTextFile, createFile })
  expect([without.exitCode, without.requests.length]).toEqual([2, 1])
  expect(without.stderr).toContain('--secrets keys.jsonl')
  const json = await runCli(['--json', 'apply', 'event.yaml'], replies, { readTextFile, createFile })
  expect(JSON.parse(json.stdout)).toMatchObject({ secrets })

  const isThere = () => Promise.reject(Object.assign(new Error('is there'), { code: 'EEXIST' }))
  const taken = await runCli(['apply', 'event.yaml', '--secrets', 'keys.jsonl'], replies, {
    readTextFile,
    createFile: isThere,
  })
  expect([taken.exitCode, taken.requests.length, taken.stderr]).toEqual([
    2,
    1,
    expect.stringContaining('keys.jsonl already exists. Choose another name.'),
  ])
  const full = async () => ({
    ...(await createFile()),
    write: () => Promise.reject(new Error('no space left')),
  })
  const lost = await runCli(['apply', 'event.yaml', '--secrets', 'keys.jsonl'], replies, {
    readTextFile,
    createFile: full,
  })
  expect([lost.exitCode, lost.stderr]).toEqual([1, expect.stringContaining('red/laptop')])
  written.length = 0
  const outdated = refusal(409, 'preview_outdated', 'Something changed since the preview.', null)
  const failed = await runCli(['apply', 'event.yaml', '--secrets', 'keys.jsonl'], [replies[0], outdated], {
    readTextFile,
    createFile,
  })
  expect([failed.exitCode, written]).toEqual([1, ['discarded']])
})

test('event export prints the file', async () => {
  const reply = { file: 'event:\n  name: AI Cup\n', as_of: '2026-11-21T02:00:00.000Z', version: 8 }
  expect((await runCli(['event', 'export'], [reply])).stdout).toBe('event:\n  name: AI Cup\n')
})
