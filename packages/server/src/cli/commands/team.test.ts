// Team commands: their requests and output.
import { describe, expect, test } from 'bun:test'
import { buildBoard, buildTeamRecord } from '../testing/build-replies.ts'
import { runCli } from '../testing/run-cli.ts'

const everyLimit = [
  ...['--alias', 'Blue team', '--budget', '12.5', '--budget-duration', '1d', '--rpm', '60', '--tpm', '0'],
  ...[
    '--model-rpm',
    'flash=30',
    '--model-rpm',
    'pro=5',
    '--model-tpm',
    'flash=1000',
    '--models',
    'flash, pro',
  ],
]
const everyField = {
  team_alias: 'Blue team',
  max_budget: 12.5,
  budget_duration: '1d',
  rpm_limit: 60,
  tpm_limit: 0,
  model_rpm_limit: { flash: 30, pro: 5 },
  model_tpm_limit: { flash: 1000 },
  models: ['flash', 'pro'],
}
const teamKey = {
  key_name: 'sk-...wxyz',
  key_alias: 'laptop',
  spend: 1,
  blocked: true,
  created_at: '2026-11-01T00:00:00.000Z',
  expires: null,
}

describe('team new', () => {
  test('sends every option and shows the team', async () => {
    const metadata = { model_rpm_limit: { flash: 30 }, model_tpm_limit: { flash: 1000 } }
    const given = ['team', 'new', '--id', 'team-01', ...everyLimit]
    const { exitCode, requests, stdout } = await runCli(given, [buildTeamRecord({ metadata })])
    expect(exitCode).toBe(0)
    expect(requests).toMatchObject([
      {
        method: 'POST',
        address: 'http://127.0.0.1:4002/team/new',
        body: { team_id: 'team-01', ...everyField },
      },
    ])
    expect(stdout).toContain('3.50 of 50.00 USD')
    expect(stdout).toMatch(/rpm of flash +30\n/)
    expect(stdout).toMatch(/tpm of flash +1000\n/)
    expect(stdout).toMatch(/models +the whole catalog\n/)
  })

  test('sends nothing that was not given', async () => {
    const { requests } = await runCli(['team', 'new'], [buildTeamRecord()])
    expect(requests[0]?.body).toEqual({})
  })
})

describe('team update', () => {
  test('sends the same options and shows the team', async () => {
    const reply = { team_id: 'team-01', data: buildTeamRecord({ max_budget: null, budget_duration: null }) }
    const { exitCode, requests, stdout } = await runCli(['team', 'update', 'team-01', ...everyLimit], [reply])
    expect(exitCode).toBe(0)
    expect(requests).toMatchObject([
      { address: 'http://127.0.0.1:4002/team/update', body: { team_id: 'team-01', ...everyField } },
    ])
    expect(stdout).toContain('3.50 of unlimited USD')
    expect(stdout).toContain('one, without end')
  })

  test('single models are set and unset', async () => {
    const reply = { team_id: 'team-01', data: buildTeamRecord() }
    const options = [
      ...['--budget', '5', '--tags', 'final, late'],
      ...['--set-model-rpm', 'a=5', '--set-model-rpm', 'b=6', '--unset-model-rpm', 'c'],
      ...['--unset-model-tpm', 'd', '--unset-model-tpm', 'e'],
    ]
    const { requests } = await runCli(['team', 'update', 'team-01', ...options], [reply])
    expect(requests[0]?.body).toEqual({
      team_id: 'team-01',
      max_budget: 5,
      set_model_rpm_limit: { a: 5, b: 6, c: null },
      set_model_tpm_limit: { d: null, e: null },
      tags: ['final', 'late'],
    })
  })

  test.each([
    [['--set-model-rpm', 'a=5', '--unset-model-rpm', 'a'], 'set and unset at once'],
    [['--set-model-rpm', 'a=none'], 'whole number'],
    [['--unset-model-rpm', 'a=5'], 'Write the model alone'],
    [['--budget', '+10'], 'fairgate grant'],
  ])('%j is refused without a request', async (options, said) => {
    const { exitCode, requests, stderr } = await runCli(['team', 'update', 'team-01', ...options])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(said)
    expect(requests).toEqual([])
  })

  test('the word none removes every limit', async () => {
    const options = [
      '--budget',
      '--budget-duration',
      '--rpm',
      '--tpm',
      '--model-rpm',
      '--model-tpm',
      '--models',
    ]
    const given = ['team', 'update', 'team-01', ...options.flatMap(option => [option, 'none'])]
    const { requests } = await runCli(given, [{ team_id: 'team-01', data: buildTeamRecord() }])
    expect(requests[0]?.body).toEqual({
      team_id: 'team-01',
      max_budget: null,
      budget_duration: null,
      rpm_limit: null,
      tpm_limit: null,
      model_rpm_limit: null,
      model_tpm_limit: null,
      models: null,
    })
  })
})

describe('team list', () => {
  test('aligns the columns, Japanese names included', async () => {
    const blue = { ...buildTeamRecord(), keys: [teamKey], team_memberships: [] }
    const green = {
      ...buildTeamRecord({ team_id: 'team-02', team_alias: '緑チーム', max_budget: null, blocked: true }),
      keys: [],
      team_memberships: [],
    }
    const { stdout, requests } = await runCli(['team', 'list'], [[blue, green]])
    expect(requests).toMatchObject([{ method: 'GET', address: 'http://127.0.0.1:4002/team/list' }])
    expect(stdout).toBe(
      [
        'TEAM     ALIAS      SPENT  BUDGET  PERIOD  RPM  TPM  KEYS  STATE',
        'team-01  Blue team  3.50   50.00   1d      60   -    1     works',
        'team-02  緑チーム   3.50   -       1d      60   -    0     blocked',
        '',
      ].join('\n'),
    )
  })

  test('says how to start if there are no teams', async () => {
    expect((await runCli(['team', 'list'], [[]])).stdout).toContain('fairgate team new')
    expect((await runCli(['team', 'list', '--json'], [[]])).stdout).toBe('{"items":[],"next":null}\n')
  })
})

describe('team show', () => {
  const info = { team_id: 'team-01', team_info: buildTeamRecord(), keys: [teamKey], team_memberships: [] }

  test('shows the team and its keys', async () => {
    const { stdout, requests } = await runCli(['team', 'show', 'a&b'], [info])
    expect(requests[0]?.address).toBe('http://127.0.0.1:4002/team/info?team_id=a%26b')
    expect(stdout).toContain('sk-...wxyz  laptop  1.00   never    blocked')
  })

  test('--json prints the reply', async () => {
    expect(JSON.parse((await runCli(['team', 'show', 'team-01', '--json'], [info])).stdout)).toEqual(info)
  })
})

test.each([
  { verb: 'block', blocked: true, says: 'Team team-01 is blocked: none of its keys work.\n' },
  { verb: 'unblock', blocked: false, says: 'Team team-01 is not blocked.\n' },
])('team $verb', async ({ verb, blocked, says }) => {
  const { stdout, requests } = await runCli(['team', verb, 'team-01'], [buildTeamRecord({ blocked })])
  expect(requests).toMatchObject([
    { method: 'POST', address: `http://127.0.0.1:4002/team/${verb}`, body: { team_id: 'team-01' } },
  ])
  expect(stdout).toBe(says)
})

test('team lock and unlock change the board', async () => {
  const locked = await runCli(['team', 'lock', 'team-01'], [buildBoard({ locked: true })])
  expect(locked.requests[0]?.address).toBe('http://127.0.0.1:4002/team/lock')
  const open = await runCli(['team', 'unlock', 'team-01'], [buildBoard()])
  expect(open.requests[0]?.address).toBe('http://127.0.0.1:4002/team/unlock')
})
