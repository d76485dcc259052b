// Behaviour shared by all commands: help, the door's address, the admin key, refusals and exit codes.
import { describe, expect, test } from 'bun:test'
import { buildTeamRecord } from './testing/build-replies.ts'
import { refusal, runCli, testAdminKey } from './testing/run-cli.ts'

const missing = (code: string) => () => Promise.reject(Object.assign(new Error('not read'), { code }))

describe('usage', () => {
  test('no command prints the help', async () => {
    const { exitCode, stdout, stderr } = await runCli([])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('Usage: fairgate')
    expect(stdout).toContain('Examples:')
    expect(stderr).toBe('')
  })

  test('--version prints the version alone', async () => {
    expect(await runCli(['--version'])).toMatchObject({ exitCode: 0, stdout: '9.8.7\n' })
  })

  test.each(['team', 'key', 'token', 'board', 'call', 'catalog', 'logs', 'api'])(
    '%s --help shows examples',
    async group => {
      const { exitCode, stdout } = await runCli([group, '--help'])
      expect(exitCode).toBe(0)
      expect(stdout).toContain(`$ fairgate ${group} `)
      expect(stdout).toContain('--json')
    },
  )

  test.each([
    { given: ['team'], says: 'Usage: fairgate team' },
    { given: ['teem'], says: "unknown command 'teem'" },
    { given: ['wall', 'list'], says: 'Use: fairgate api GET /wall_tokens' },
    { given: ['--json', 'note'], says: '"fairgate note" is gone' },
    { given: ['team', 'show'], says: "missing required argument 'team'" },
    { given: ['team', 'show', 'a', 'b'], says: 'too many arguments' },
    { given: ['team', 'list', '--admin-key', 'x'], says: "unknown option '--admin-key'" },
    { given: ['team', 'new', '--budget', '-5'], says: "option '--budget <usd>' argument '-5'" },
    { given: ['team', 'new', '--budget', 'much'], says: "option '--budget <usd>' argument 'much'" },
    { given: ['team', 'new', '--rpm', '1.5'], says: "option '--rpm <n>' argument '1.5'" },
    { given: ['team', 'new', '--tpm', '9'.repeat(20)], says: "option '--tpm <n>'" },
    { given: ['team', 'new', '--model-rpm', 'flash'], says: 'Write model=N' },
    { given: ['team', 'new', '--model-rpm', 'flash=x'], says: "option '--model-rpm <model=n>'" },
    { given: ['team', 'new', '--model-tpm', 'a=1', '--model-tpm', 'a=2'], says: 'given twice' },
    { given: ['team', 'new', '--model-tpm', 'a=1', '--model-tpm', 'none'], says: 'must be the only value' },
    { given: ['team', 'new', '--model-tpm', 'none', '--model-tpm', 'a=1'], says: 'must be the only value' },
    { given: ['team', 'update', 'a', '--model-tpm', 'a=none'], says: 'Leave the model out' },
    { given: ['team', 'new', '--models', 'a,,b'], says: "option '--models <a,b>'" },
    { given: ['team', 'update', 'a'], says: 'nothing to change' },
    { given: ['key', 'generate', 'a', '--max-parallel', '0'], says: "option '--max-parallel <n>'" },
    { given: ['key', 'update', 'a'], says: 'nothing to change' },
    { given: ['key', 'delete'], says: "missing required argument 'keys'" },
    { given: ['logs', 'audit', '--limit', '0'], says: "option '--limit <n>'" },
    { given: ['team', 'list', '--url', 'ftp://door'], says: '--url must be' },
    { given: ['key', 'list', 'a', '--team', 'b'], says: 'two teams are named, a and b' },
    { given: ['logs', 'list', '--limit', 'many'], says: "option '--limit <n>'" },
    { given: ['logs', 'show', 'a'], says: "missing required argument 'entry'" },
    { given: ['logs', 'export', '--format', 'xml'], says: 'Allowed choices are ndjson, csv' },
    { given: ['logs', 'export', '--format', 'csv', '--json'], says: 'not both' },
    { given: ['logs', 'export', '--format', 'csv', '--follow'], says: '--follow writes NDJSON only' },
    { given: ['logs', 'export', '--follow', '--output', 'x'], says: 'Redirect instead' },
    { given: ['logs', 'export', '--bom'], says: '--bom is for CSV only' },
    { given: ['logs', 'export', '--force'], says: '--force is for --output only' },
    { given: ['logs', 'export', '--after', '5'], says: '--after: a number alone needs one team' },
    { given: ['logs', 'export', '--after', 'a:1,a:2'], says: 'the team a is given twice' },
  ])('wrong usage ends with 2 and sends no request: $given', async ({ given, says }) => {
    const { exitCode, stdout, stderr, requests } = await runCli(given)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(says)
    expect(stdout).toBe('')
    expect(requests).toEqual([])
  })
})

describe('the address of the admin door', () => {
  const addressFor = async (given: readonly string[], url?: string) => {
    const variables = { FAIRGATE_ADMIN_KEY: testAdminKey, FAIRGATE_ADMIN_URL: url }
    return (await runCli(['team', 'list', ...given], [[]], { variables })).requests[0]?.address
  }

  test('is on this machine by default', async () => {
    expect(await addressFor([])).toBe('http://127.0.0.1:4002/team/list')
  })

  test('comes from the environment, and --url takes precedence', async () => {
    expect(await addressFor([], 'https://door.example/admin/')).toBe('https://door.example/admin/team/list')
    expect(await addressFor(['--url', 'http://other:1'], 'https://door.example')).toBe(
      'http://other:1/team/list',
    )
  })

  // Fails on the previous build, which used port 4002 regardless of the server's settings.
  test.each([
    [{ FAIRGATE_ADMIN_PORT: '5002' }, 'http://127.0.0.1:5002'],
    [{ FAIRGATE_ADMIN_HOST: '192.0.2.7' }, 'http://192.0.2.7:4002'],
    [{ FAIRGATE_ADMIN_HOST: 'door.example', FAIRGATE_ADMIN_PORT: ' 80 ' }, 'http://door.example:80'],
    [{ FAIRGATE_ADMIN_HOST: '0.0.0.0', FAIRGATE_ADMIN_PORT: '5002' }, 'http://127.0.0.1:5002'],
    [{ FAIRGATE_ADMIN_HOST: '::' }, 'http://[::1]:4002'],
    [{ FAIRGATE_ADMIN_HOST: 'fd00::7' }, 'http://[fd00::7]:4002'],
    [{ FAIRGATE_ADMIN_PORT: '5002', FAIRGATE_ADMIN_URL: 'https://door.example' }, 'https://door.example'],
    [{ FAIRGATE_ADMIN_PORT: '' }, 'http://127.0.0.1:4002'],
    [{ FAIRGATE_TLS_CERT: '/c.pem' }, 'http://127.0.0.1:4002'],
    [{ FAIRGATE_TLS_CERT: '/c.pem', FAIRGATE_ADMIN_HOST: 'door.example' }, 'https://door.example:4002'],
  ])('comes from the server settings: %p', async (settings, url) => {
    const variables = { FAIRGATE_ADMIN_KEY: testAdminKey, ...settings }
    const { requests } = await runCli(['team', 'list'], [[]], { variables })
    expect(requests[0]?.address).toBe(`${url}/team/list`)
  })

  test.each([
    [{ FAIRGATE_ADMIN_PORT: '0' }, 'FAIRGATE_ADMIN_PORT is 0'],
    [{ FAIRGATE_ADMIN_PORT: '70000' }, 'FAIRGATE_ADMIN_PORT must be a port'],
    [{ FAIRGATE_ADMIN_PORT: 'x' }, 'FAIRGATE_ADMIN_PORT must be a port'],
    [{ FAIRGATE_ADMIN_HOST: 'a/b' }, 'FAIRGATE_ADMIN_HOST must be'],
    [{ FAIRGATE_ADMIN_HOST: 'me:secret@door' }, 'FAIRGATE_ADMIN_HOST must be'],
  ])('a setting that leads nowhere is named: %p', async (settings, says) => {
    const variables = { FAIRGATE_ADMIN_KEY: testAdminKey, ...settings }
    const { exitCode, stderr, requests } = await runCli(['team', 'list'], [], { variables })
    expect([exitCode, requests]).toEqual([2, []])
    expect(stderr).toContain(says)
    expect(stderr).not.toContain('secret')
  })

  test('an invalid one is named by its setting, and a password in it is not repeated', async () => {
    const variables = { FAIRGATE_ADMIN_KEY: testAdminKey, FAIRGATE_ADMIN_URL: 'http://me:secret@door' }
    const { exitCode, stderr } = await runCli(['team', 'list'], [], { variables })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('FAIRGATE_ADMIN_URL must be')
    expect(stderr).not.toContain('secret')
  })
})

describe('the admin key', () => {
  test('is sent as a bearer and never printed', async () => {
    const { requests, stdout, stderr } = await runCli(['team', 'list', '--json'], [[]])
    expect(requests[0]?.authorization).toBe(`Bearer ${testAdminKey}`)
    expect(stdout + stderr).not.toContain(testAdminKey)
  })

  test.each([
    { folder: undefined, path: 'data/admin-key' },
    { folder: '/srv/fairgate', path: '/srv/fairgate/admin-key' },
  ])('otherwise comes from the file $path', async ({ folder, path }) => {
    const read: string[] = []
    const { requests } = await runCli(['team', 'list'], [[]], {
      variables: { FAIRGATE_DATA_DIR: folder },
      readTextFile: async asked => {
        read.push(asked)
        return 'key-from-the-file\n'
      },
    })
    expect(read).toEqual([path])
    expect(requests[0]?.authorization).toBe('Bearer key-from-the-file')
  })

  test.each([
    { found: missing('ENOENT'), says: 'there is no file data/admin-key' },
    { found: missing('EACCES'), says: 'cannot be read (EACCES)' },
    { found: async () => ' \n', says: 'is empty' },
    { found: async () => 'two secret words', says: 'contains characters' },
  ])(
    'is required: without one the command says what to do and ends with 3: $says',
    async ({ found, says }) => {
      const { exitCode, stderr, requests } = await runCli(['team', 'list'], [], {
        variables: {},
        readTextFile: found,
      })
      expect(exitCode).toBe(3)
      expect(stderr).toContain(says)
      expect(stderr).toContain('Set FAIRGATE_ADMIN_KEY')
      expect(stderr).not.toContain('secret')
      expect(requests).toEqual([])
    },
  )
})

describe('unexpected replies', () => {
  test('a refusal prints code, message and param on stderr only', async () => {
    const reply = refusal(404, 'team_not_found', 'There is no team "x".', 'team_id')
    expect(await runCli(['team', 'show', 'x', '--json'], [reply])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'team_not_found: There is no team "x".\nparam: team_id\n',
    })
  })

  test.each([
    [['team', 'show', 'teem-1'], 'team-01'],
    [['team', 'show', 'TEAM 1'], 'team-01'],
    [['grant', 'red panda', '5', '--reason', 'x'], 'red'],
    [['team', 'block', '--team', 'red,bleu'], 'blue'],
    [['api', 'GET', '/timeline', 'team_id=rd'], 'red'],
    [['logs', 'export', 'rde'], 'red'],
  ])('an unknown team: %j means %s', async (given, meant) => {
    const record = (team_id: string, team_alias: string) => ({
      ...buildTeamRecord({ team_id, team_alias }),
      keys: [],
      team_memberships: [],
    })
    const teams = [record('red', 'Red Pandas'), record('blue', 'Blue Hour'), record('team-01', '')]
    const refused = refusal(404, 'team_not_found', 'There is no such team.', 'team_id')
    const { exitCode, stderr, requests } = await runCli(given, [refused, teams])
    expect(exitCode).toBe(1)
    expect(stderr).toEndWith(`\nDid you mean ${meant}?\n`)
    expect(requests.at(-1)?.address).toEndWith('/team/list')
  })

  test('an unknown team that resembles no other gets no suggestion', async () => {
    const refused = refusal(404, 'team_not_found', 'There is no team "green".', 'team_id')
    const { stderr } = await runCli(['team', 'show', 'green'], [refused, []])
    expect(stderr).toBe('team_not_found: There is no team "green".\nparam: team_id\n')
  })

  test('a refusal without param prints one line', async () => {
    const reply = refusal(401, 'admin_unauthorized', 'This is not the admin key.', null)
    const { exitCode, stderr } = await runCli(['team', 'list'], [reply])
    expect(exitCode).toBe(1)
    expect(stderr).toBe('admin_unauthorized: This is not the admin key.\n')
  })

  test('an unreachable door ends with 3 and says what to do; the error of fetch is not repeated', async () => {
    const cause = Object.assign(new Error(`Bearer ${testAdminKey}`), { code: 'ECONNREFUSED' })
    const { exitCode, stderr } = await runCli(['team', 'list'], [], { fetch: () => Promise.reject(cause) })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('Cannot reach the admin door at http://127.0.0.1:4002 (ECONNREFUSED)')
    expect(stderr).toContain('fairgate serve')
    expect(stderr).not.toContain(testAdminKey)
  })

  test.each([
    new Response('<html>', { status: 200 }),
    new Response('Bad gateway', { status: 502 }),
    new Response(null, { status: 302, headers: { location: 'http://elsewhere/' } }),
    Response.json({ detail: 'Not Found' }, { status: 404 }),
  ])('another server at the address ends with 3', async reply => {
    const { exitCode, stderr, requests } = await runCli(['team', 'list'], [reply])
    expect(exitCode).toBe(3)
    expect(stderr).toContain('is not the admin door of Fairgate')
    expect(requests).toHaveLength(1)
  })

  test('a reply of another version is printed in full, so that a secret in it is not lost', async () => {
    const { exitCode, stdout, stderr } = await runCli(['key', 'generate', 'team-01'], [{ key: 'sk-once' }])
    expect(exitCode).toBe(1)
    expect(stdout).toContain('sk-once')
    expect(stderr).toContain('does not understand the reply')
  })

  test('--json may come before the command and prints the reply unchanged', async () => {
    const reply = { ...buildTeamRecord(), member_of_a_newer_version: 1 }
    const { exitCode, stdout } = await runCli(['--json', 'team', 'block', 'team-01'], [reply])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual(reply)
  })
})
