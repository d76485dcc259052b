// Engine tests: teams.
import { expect, test } from 'bun:test'
import { emptyChain } from '../../statements/entry-chain.ts'
import { buildAuditEntry, buildTeamRow } from '../build-directory-rows.ts'
import {
  actionsOf,
  type Current,
  insertTeam,
  readAudit,
  readDirectory,
  readVersion,
} from './store-actions.ts'

export function describeTeams(current: Current): void {
  test('a team is read back as written, every column of it', async () => {
    const full = buildTeamRow('team-2', {
      alias: 'Zwei ✓ 日本',
      models: '["model-1"]',
      blocked: 1,
      max_budget_nano: 9_007_198_000_000_000,
      budget_duration: '1d',
      budget_anchor: 1_795_000_000_000,
      rpm_limit: 0,
      tpm_limit: Number.MAX_SAFE_INTEGER,
      metadata: '{"a":"\\u0000"}',
      informational: '{"organization_id":"o"}',
      granted_nano: 9_007_198_000_000_000,
      granted_period: 1_795_000_000_000,
      hidden_at: 1_795_000_000_001,
      created_at: 2000,
      updated_at: 3000,
      created_by: 'someone',
      updated_by: 'another',
    })
    const audit = buildAuditEntry('team.new', { team_id: 'team-2', target: 'team-2' })
    await current().write.insertTeam({ team: full, audit })
    await insertTeam(current(), 'team-1')
    expect((await readDirectory(current())).teams).toEqual([buildTeamRow('team-1'), full])
  })

  test('teams come in order of creation', async () => {
    for (const [teamId, created_at] of [
      ['c', 3],
      ['b', 1],
      ['a', 3],
    ] as const)
      await insertTeam(current(), teamId, { created_at })
    expect((await readDirectory(current())).teams.map(({ team_id }) => team_id)).toEqual(['b', 'a', 'c'])
  })

  test('a new team has an open board', async () => {
    await insertTeam(current(), 'team-1')
    expect(await current().read.readBoard({ teamId: 'team-1' })).toEqual({
      teamId: 'team-1',
      locked: false,
      lockAt: null,
      eventLocks: [],
      openedAt: null,
      headSeq: 0,
      headChain: emptyChain,
      headReceivedMicros: 0,
      updatedAt: 1000,
    })
  })

  test('an update changes every column of that team only', async () => {
    const seen = (await insertTeam(current(), 'team-1')) ?? 0
    await insertTeam(current(), 'team-2')
    const changed = buildTeamRow('team-1', { alias: 'new', blocked: 0, rpm_limit: 5, updated_at: 2000 })
    await current().write.updateTeam({ row: changed, seen, audit: buildAuditEntry('team.update') })
    expect((await readDirectory(current())).teams).toEqual([changed, buildTeamRow('team-2')])
    expect(actionsOf(await readAudit(current()))).toEqual(['team.update', 'team.new', 'team.new'])
  })

  test('an update of a team that was changed meanwhile changes nothing and uses no number', async () => {
    const seen = (await insertTeam(current(), 'team-1')) ?? 0
    const update = (alias: string) =>
      current().write.updateTeam({
        row: buildTeamRow('team-1', { alias }),
        seen,
        audit: buildAuditEntry('team.update'),
      })
    const version = await update('first')
    expect(version).toBe(seen + 1)
    expect(await update('second')).toBeNull()
    expect((await readDirectory(current())).teams).toMatchObject([{ alias: 'first' }])
    expect(await readVersion(current())).toBe(seen + 1)
    expect(await readAudit(current())).toHaveLength(2)
  })

  test('many are changed under one number, or none of them', async () => {
    const first = (await insertTeam(current(), 'team-1')) ?? 0
    const second = (await insertTeam(current(), 'team-2')) ?? 0
    await insertTeam(current(), 'team-3')
    const change = { alias: 'new', models: '["model-1"]', blocked: 1, rpm_limit: 7, updated_at: 2000 }
    const teams = [
      { team: buildTeamRow('team-1', { ...change, max_budget_nano: 5 }), seen: first },
      { team: buildTeamRow('team-2', { ...change, max_budget_nano: null }), seen: second },
    ]
    const audit = teams.map(({ team }) =>
      buildAuditEntry('team.update', { team_id: team.team_id, bulk_id: 'bulk_1' }),
    )
    const update = () => current().write.updateTeams({ teams, audit })
    expect(await update()).toBe(second + 2)
    const changed = [...teams.map(({ team }) => team), buildTeamRow('team-3')]
    expect((await readDirectory(current())).teams).toEqual(changed)
    // One of them is newer than its author has seen, then one does not exist.
    for (const seen of [second, 99]) {
      const [own, other] = teams
      const gone = { team: buildTeamRow('team-4'), seen }
      const asked = [own, seen === 99 ? gone : other].flatMap(each => each ?? [])
      const outdated = asked.map(({ team }) => ({ team: { ...team, alias: 'lost' }, seen }))
      expect(await current().write.updateTeams({ teams: outdated, audit })).toBeNull()
    }
    expect(await readVersion(current())).toBe(second + 2)
    expect((await readDirectory(current())).teams).toEqual(changed)
    expect((await readAudit(current())).filter(({ action }) => action === 'team.update')).toMatchObject([
      { team_id: 'team-2', bulk_id: 'bulk_1' },
      { team_id: 'team-1', bulk_id: 'bulk_1' },
    ])
  })

  // More than fit into one statement.
  test('a thousand are changed at once', async () => {
    const ids = Array.from({ length: 1001 }, (_, number) => `team-${String(number).padStart(4, '0')}`)
    const seen = new Map<string, number>()
    for (const teamId of ids) seen.set(teamId, (await insertTeam(current(), teamId)) ?? 0)
    const teams = ids.map(teamId => ({
      team: buildTeamRow(teamId, { rpm_limit: 7 }),
      seen: seen.get(teamId) ?? 0,
    }))
    const audit = ids.map(teamId => buildAuditEntry('team.update', { team_id: teamId }))
    expect(await current().write.updateTeams({ teams, audit })).toBe(1002)
    expect((await readDirectory(current())).teams.filter(team => team.rpm_limit === 7)).toHaveLength(1001)
    const rows = await current().read.listAudit({ limit: 3000, beforeId: null, teamId: null })
    expect(rows.filter(({ action }) => action === 'team.update')).toHaveLength(1001)
  }, 30_000)

  test('a duplicate team_id is refused and leaves neither audit nor change', async () => {
    await insertTeam(current(), 'team-1')
    const version = await readVersion(current())
    expect(await insertTeam(current(), 'team-1', { alias: 'other' })).toBeNull()
    expect(await readVersion(current())).toBe(version)
    expect((await readDirectory(current())).teams).toEqual([buildTeamRow('team-1')])
    expect(await readAudit(current())).toHaveLength(1)
  })
}
