// Foreign names and messages never send control characters to the terminal, in any command and any form of output.
import { expect, test } from 'bun:test'
import { toList } from './output/list-envelope.ts'
import {
  buildAuditRow,
  buildBoard,
  buildBrokenCheck,
  buildKeyRecord,
  buildKeyRow,
  buildLoggedEntry,
  buildTeamRecord,
  buildToken,
  testHash,
} from './testing/build-replies.ts'
import { refusal, runCli } from './testing/run-cli.ts'

const steering = '\u001b[2J\u007f\u009b\u202e\u2066\u200b\u200f\u061c\u2028\ufeff\u{e0041}\ud800'
const name = `a${steering}b`
const shown =
  'a\\u{1b}[2J\\u{7f}\\u{9b}\\u{202e}\\u{2066}\\u{200b}\\u{200f}\\u{61c}\\u{2028}\\u{feff}\\u{e0041}\\u{d800}b'
const steers = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const team = buildTeamRecord({ team_alias: name, updated_by: name, models: [name] })
const key = buildKeyRow(testHash, { key_alias: name })
const teamKey = {
  key_name: 'sk-...wxyz',
  key_alias: name,
  spend: 1,
  blocked: true,
  created_at: '2026-11-01T00:00:00.000Z',
  expires: null,
}
const board = buildBoard({ team_id: name })
const broken = { ...buildBrokenCheck(name) }
const reload = {
  models: 1,
  added: [name],
  removed: [],
  changed: [],
  before: {},
  after: {},
  warnings: [{ team_id: name, key: null, member: 'models', models: [name] }],
}

const commands: readonly (readonly [arguments: string[], reply: unknown, ...further: unknown[]])[] = [
  [['team', 'new', '--id', 'x'], team],
  [['team', 'list'], [{ ...team, keys: [], team_memberships: [] }]],
  [
    ['team', 'show', 'x'],
    {
      team_id: 'x',
      team_info: team,
      keys: [teamKey],
      team_memberships: [],
    },
  ],
  [['team', 'block', 'x'], { ...team, team_id: name, blocked: true }],
  [['key', 'generate', 'x'], { key: 'sk-secret', ...key }],
  [['key', 'list'], { keys: [key], total_count: 1, current_page: 1, total_pages: 1 }],
  [['key', 'show', testHash], { key: testHash, info: buildKeyRecord({ key_alias: name }) }],
  [['key', 'block', testHash], { ...key, team_id: name }],
  [['key', 'delete', testHash], { deleted_keys: [name] }],
  [['token', 'list'], { log_tokens: [buildToken({ token_name: name })] }],
  [['token', 'revoke', 'lt_1'], buildToken({ team_id: name, revoked_at: '2026-11-01T00:00:00.000Z' })],
  [['board', 'list'], { boards: [board] }],
  [['board', 'lock', 'x'], { ...board, locked: true }],
  [['logs', 'verify', 'x'], broken],
  [['logs', 'audit'], { items: [buildAuditRow(1, { actor: name })], next_before_id: null }],
  [['catalog', 'reload'], reload],
  [['logs', 'list'], { items: [buildLoggedEntry({ prompt: name })], next_before: null }],
]

// Fails on the previous build: only tables replaced anything, and only C0 and C1.
test.each(commands)('%p', async (given, reply) => {
  const text = await runCli(given, [reply])
  expect(text.stdout + text.stderr).toContain(shown)
  expect(text.stdout + text.stderr).not.toMatch(steers)
  const json = await runCli([...given, '--json'], [reply])
  expect(json.stdout).not.toMatch(steers)
  const lists: Readonly<Record<string, string>> = { key: 'keys', token: 'log_tokens', board: 'boards' }
  const [noun = '', verb = ''] = given
  const isList = verb === 'list' || verb === 'audit'
  const { items } = isList ? Object(toList(reply, lists[noun] ?? 'items')) : { items: null }
  expect(JSON.parse(json.stdout)).toEqual(isList ? { items, next: null } : reply)
})

test('an entry on its own is JSON with hidden characters escaped', async () => {
  const { stdout } = await runCli(['logs', 'show', 'x', '1'], [buildLoggedEntry({ prompt: name })])
  expect(stdout).not.toMatch(steers)
  expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toMatchObject({ prompt: name })
})

test('an error from the server, and one about the input', async () => {
  const refused = await runCli(['team', 'list'], [refusal(400, 'invalid_request', `No ${name}\nok`, name)])
  expect(refused.stderr).toBe(`invalid_request: No ${shown}\\u{a}ok\nparam: ${shown}\n`)
  const typed = await runCli(['team', `--${name}`])
  expect(typed.stderr).toContain(shown)
  expect(typed.stderr).not.toMatch(steers)
})

test('columns stay aligned next to wide characters, emoji, combining marks and escapes', async () => {
  const aliases = ['Ada', '東京チーム', '🛡️ red', '👍🏽', 'Jose\u0301', name]
  const teams = aliases.map(team_alias => ({ ...team, team_alias, keys: [], team_memberships: [] }))
  const [titles = '', ...lines] = (await runCli(['team', 'list'], [teams])).stdout.trimEnd().split('\n')
  const place = Bun.stringWidth(titles.slice(0, titles.indexOf('SPENT')))
  for (const line of lines) expect(Bun.stringWidth(line.slice(0, line.indexOf('3.50')))).toBe(place)
})
