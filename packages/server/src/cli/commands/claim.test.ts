// Claim commands and handouts: their requests, and the text for people.
import { expect, test } from 'bun:test'
import type { MadeClaim } from '@fairgate/contracts/management/claims.ts'
import encodeQR from 'qr'
import type { OutputFile } from '../dependencies.ts'
import { runCli } from '../testing/run-cli.ts'

const moment = { as_of: '2026-11-21T09:00:00.000Z', version: 7 }
const door = 'http://127.0.0.1:4002'

function buildClaim(team: string, changes: Partial<MadeClaim> = {}): MadeClaim {
  const url = `https://gw.example/join/BCK7QM2XPD3A`
  return {
    claim_id: `cl_${team}`,
    team_id: team,
    team_alias: `Team ${team}`,
    code_name: 'PD3A',
    state: 'works',
    free_members: 2,
    seats: 1,
    seats_left: 1,
    uses: 0,
    last_used_at: null,
    expires_at: '2026-11-28T09:00:00.000Z',
    ended_at: null,
    created_at: '2026-11-21T09:00:00.000Z',
    created_by: 'admin',
    code: 'BCK7QM2XPD3A',
    url,
    qr_svg: encodeQR(url, 'svg', { ecc: 'medium', border: 2 }),
    ...changes,
  }
}
function listed(team: string) {
  const { code: _code, url: _url, qr_svg: _svg, ...claim } = buildClaim(team)
  return claim
}

const listedTeam = {
  team_alias: '',
  organization_id: null,
  admins: [],
  members: [],
  members_with_roles: [],
  metadata: { model_rpm_limit: {}, model_tpm_limit: {} },
  spend: 0,
  held: 0,
  max_budget: null,
  rpm_limit: null,
  tpm_limit: null,
  budget_duration: null,
  budget_reset_at: null,
  current_budget: null,
  models: [],
  created_at: '2026-11-21T09:00:00.000Z',
  updated_at: '2026-11-21T09:00:00.000Z',
  created_by: 'admin',
  updated_by: 'admin',
  keys: [],
  team_memberships: [],
}

/** Files kept in memory. */
function createFiles() {
  const kept = new Map<string, string>()
  const createFile = async (path: string): Promise<OutputFile> => {
    let text = ''
    return {
      write: async bytes => {
        text += new TextDecoder().decode(bytes)
      },
      keep: async () => void kept.set(path, text),
      discard: async () => undefined,
    }
  }
  return { kept, createFile }
}

test('claim create names teams or all of them, and prints the links once', async () => {
  const line = [
    'claim',
    'create',
    '--team',
    'red, blue',
    '--seats',
    '2',
    '--expires',
    '3d',
    '--reason',
    'day one',
  ]
  const { stdout, requests } = await runCli(line, [
    { items: [buildClaim('red'), buildClaim('blue')], ...moment },
  ])
  const body = { teams: ['red', 'blue'], seats: 2, duration: '3d', reason: 'day one' }
  expect(requests).toMatchObject([{ method: 'POST', address: `${door}/claims`, body }])
  expect(stdout).toMatch(/^red +https:\/\/gw.example\/join\/BCK7QM2XPD3A +3 /m)
  const all = await runCli(['claim', 'create', '--all'], [{ items: [], ...moment }])
  expect(all.requests).toMatchObject([{ body: { teams: 'all' } }])
  expect(all.stdout).toBe('Every team already has a working code.\n')
  for (const wrong of [[], ['--all', '--team', 'red']])
    expect((await runCli(['claim', 'create', ...wrong])).exitCode).toBe(2)
})

test('claim list reads all pages and shows no codes', async () => {
  const pages = [
    { items: [listed('red')], next: 'cl_red', ...moment },
    { items: [listed('blue')], next: null, ...moment },
  ]
  const { stdout, requests } = await runCli(['claim', 'list', '--ended'], pages)
  expect(requests.map(({ address }) => address)).toEqual([
    `${door}/claims?ended=true&limit=500`,
    `${door}/claims?ended=true&limit=500&after=cl_red`,
  ])
  expect(stdout).toMatch(/cl_red +red +…PD3A +works +3 +0 +- /)
  expect(stdout).toContain('cl_blue')
})

test('claim renew and revoke name the claim by its id', async () => {
  const renewed = await runCli(
    ['claim', 'renew', 'cl_red', '--expires', '1h'],
    [{ ...buildClaim('red'), ...moment }],
  )
  expect(renewed.requests).toMatchObject([
    { address: `${door}/claims/cl_red/renew`, body: { duration: '1h' } },
  ])
  const revoked = await runCli(
    ['claim', 'revoke', 'cl_red', '--reason', 'lost'],
    [{ ...listed('red'), state: 'revoked', ...moment }],
  )
  expect(revoked.requests).toMatchObject([{ method: 'DELETE', address: `${door}/claims/cl_red?reason=lost` }])
  expect(revoked.stdout).toBe('The code …PD3A of team red is revoked.\n')
})

const event = {
  ...{
    name: 'AI Cup',
    time_zone: 'Asia/Seoul',
    cap_nano: null,
    phase: null,
    gateway: 'closed',
    changes_at: null,
  },
  phases: [
    {
      ...{ name: 'contest', from: '2026-11-21T01:00:00.000Z', until: '2026-11-21T09:00:00.000Z' },
      ...{ gateway: 'open', models: null, budget_nano: null, accounting: 'new' },
      ...{ entries_until: null, submissions_until: null },
    },
  ],
  ...{ submission: null, paused: null, ended: null, ...moment },
}

test('handout writes a sheet for each team that got a code', async () => {
  const { kept, createFile } = createFiles()
  const nasty = buildClaim('blue', { team_alias: '<script>alert(1)</script>' })
  const run = await runCli(
    ['handout', 'sheets.html', '--all', '--title', 'AI & Cup'],
    [{ items: [buildClaim('red'), nasty], ...moment }, event],
    { createFile },
  )
  expect(run.stdout).toContain('2 sheets written to sheets.html')
  const page = kept.get('sheets.html') ?? ''
  expect(page.match(/<section>/g)).toHaveLength(2)
  expect(page.match(/<svg /g)).toHaveLength(2)
  expect(page).toContain('BCK7QM-2XPD3A')
  expect(page).toContain('AI &amp; Cup')
  expect(page).toContain('<li>contest: Sat 21 Nov 2026, 10:00 to Sat 21 Nov 2026, 18:00</li>')
  expect(page).not.toContain('<script')
  // It needs no external resources.
  expect(page).not.toMatch(/(?:src|href)=/)
})

test('handout --renew gives teams with a working code a new one', async () => {
  const { kept, createFile } = createFiles()
  const replies = [
    { items: [listed('red'), listed('green')], next: null, ...moment },
    { ...buildClaim('red'), ...moment },
    { items: [buildClaim('blue')], ...moment },
    event,
  ]
  const { requests } = await runCli(['handout', 'a.html', '--team', 'red,blue', '--renew'], replies, {
    createFile,
  })
  expect(requests.map(({ method, address }) => `${method} ${address.slice(door.length)}`)).toEqual([
    'GET /claims?limit=500',
    'POST /claims/cl_red/renew',
    'POST /claims',
    'GET /event',
  ])
  expect(requests[2]?.body).toMatchObject({ teams: ['blue'] })
  expect(kept.get('a.html')?.match(/<section>/g)).toHaveLength(2)
})

test('handout --all --renew skips blocked teams and says so; a named team is renewed', async () => {
  const { kept, createFile } = createFiles()
  const claims = { items: [listed('red'), listed('green')], next: null, ...moment }
  const teams = [
    { team_id: 'red', blocked: false },
    { team_id: 'green', blocked: true },
  ].map(team => ({ ...listedTeam, ...team }))
  const made = { ...buildClaim('red'), ...moment }
  const line = ['handout', 'a.html', '--all', '--renew']
  const all = await runCli(line, [claims, teams, made, { items: [], ...moment }, event], { createFile })
  expect(all.requests.map(({ method, address }) => `${method} ${address.slice(door.length)}`)).toEqual([
    'GET /claims?limit=500',
    'GET /team/list',
    'POST /claims/cl_red/renew',
    'POST /claims',
    'GET /event',
  ])
  expect(kept.get('a.html')?.match(/<section>/g)).toHaveLength(1)
  expect(all.stdout).toContain('Left out because they are blocked: green.')
  const change = { what: 'claim.duration_ms', subject: 'red', from: null, to: 1, count: 1 }
  const preview = { applied: false, preview_id: 'pv_1', changes: [change], warnings: [], ...moment }
  const dry = await runCli([...line, '--dry-run'], [claims, teams, preview, { ...preview, changes: [] }])
  expect(dry.stdout).toBe(
    'TEAM   LINK\ngreen  left out: the team is blocked and not named with --team\nred    renewed: the current one stops working\n\nThis would write 1 sheet to a.html. Nothing was changed.\n',
  )
  const named = await runCli(
    ['handout', 'b.html', '--team', 'green', '--renew'],
    [claims, { ...buildClaim('green'), ...moment }, event],
    { createFile },
  )
  expect(named.requests[1]).toMatchObject({ address: `${door}/claims/cl_green/renew` })
  const none = await runCli(
    line,
    [{ ...claims, items: [listed('green')] }, teams, { items: [], ...moment }],
    { createFile },
  )
  expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining('blocked: green')])
})

test('handout makes no code if the file cannot be written, and no file without a code', async () => {
  const taken = () => Promise.reject(Object.assign(new Error('is there'), { code: 'EEXIST' }))
  const refused = await runCli(['handout', 'a.html', '--all'], [], { createFile: taken })
  expect([refused.exitCode, refused.requests, refused.stderr]).toEqual([
    1,
    [],
    'a.html already exists. Add --force to overwrite it.\n',
  ])
  const { kept, createFile } = createFiles()
  const none = await runCli(['handout', 'a.html', '--all'], [{ items: [], ...moment }], { createFile })
  expect([none.exitCode, kept.size]).toEqual([1, 0])
  const strange = buildClaim('red', { qr_svg: '<svg onload="x"></svg><script></script>' })
  const bad = await runCli(['handout', 'a.html', '--all'], [{ items: [strange], ...moment }, event], {
    createFile,
  })
  expect([bad.exitCode, kept.size]).toEqual([1, 0])
})

test('--dry-run of create, renew and revoke shows the changes and makes no code', async () => {
  const change = { what: 'claim.seats', subject: 'red', from: null, to: 2, count: 1 }
  const preview = { applied: false, preview_id: 'pv_1', changes: [change], warnings: [], ...moment }
  const created = await runCli(['claim', 'create', '--team', 'red', '--seats', '2', '--dry-run'], [preview])
  expect(created.requests).toMatchObject([{ body: { teams: ['red'], seats: 2, dry_run: true } }])
  expect(created.stdout).toBe('This would change:\n  claim.seats of red: none → 2\n')
  const renewed = await runCli(['claim', 'renew', 'cl_red', '--dry-run'], [preview])
  expect(renewed.requests).toMatchObject([
    { address: `${door}/claims/cl_red/renew`, body: { dry_run: true } },
  ])
  const revoked = await runCli(['claim', 'revoke', 'cl_red', '--dry-run'], [preview])
  expect(revoked.requests).toMatchObject([
    { method: 'DELETE', address: `${door}/claims/cl_red?dry_run=true` },
  ])
})

test('handout --dry-run shows which links would be new, renewed and kept; it makes no code and no file', async () => {
  const refuse = () => Promise.reject(new Error('No file is opened.'))
  const claims = { items: [listed('red')], next: null, ...moment }
  const change = { what: 'claim.duration_ms', subject: 'blue', from: null, to: 604_800_000, count: 1 }
  const preview = { applied: false, preview_id: 'pv_1', changes: [change], warnings: [], ...moment }
  const all = await runCli(['handout', 'a.html', '--all', '--dry-run'], [claims, preview], {
    createFile: refuse,
  })
  expect(all.requests.slice(1)).toMatchObject([
    { address: `${door}/claims`, body: { teams: 'all', dry_run: true } },
  ])
  expect(all.stdout).toBe(
    'TEAM  LINK\nblue  new\nred   kept: it has a working one, and gets no sheet\n\nThis would write 1 sheet to a.html. Nothing was changed.\n',
  )
  const line = [
    '--json',
    'handout',
    'a.html',
    '--team',
    'red,blue',
    '--renew',
    '--expires',
    '1h',
    '--dry-run',
  ]
  const renewed = await runCli(line, [claims, preview, preview], { createFile: refuse })
  expect(renewed.requests.slice(1)).toMatchObject([
    { address: `${door}/claims/cl_red/renew`, body: { duration: '1h', dry_run: true } },
    { address: `${door}/claims`, body: { teams: ['blue'], dry_run: true } },
  ])
  expect(JSON.parse(renewed.stdout)).toEqual({
    dry_run: true,
    file: 'a.html',
    teams: [
      { team_id: 'blue', link: 'new' },
      { team_id: 'red', link: 'renewed' },
    ],
  })
  const none = await runCli(
    ['handout', 'a.html', '--all', '--dry-run'],
    [claims, { ...preview, changes: [] }],
    { createFile: refuse },
  )
  expect([none.exitCode, none.stdout]).toEqual([0, expect.stringContaining('Nothing to write')])
})
