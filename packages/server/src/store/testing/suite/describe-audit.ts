// Engine tests: the audit table.
import { expect, test } from 'bun:test'
import type { AuditRecord } from '../../statements/audit.ts'
import { buildAuditEntry, buildTeamRow } from '../build-directory-rows.ts'
import { actionsOf, type Current, insertTeam, readAudit } from './store-actions.ts'

export function describeAudit(current: Current): void {
  test('a row is read back as it was written, with a number', async () => {
    await current().write.insertTeam({
      team: buildTeamRow('team-1'),
      audit: buildAuditEntry('team.new', { at: 1_795_000_000_000, before: null, after: '{"a":1}' }),
    })
    const [row] = await readAudit(current())
    expect(row).toEqual({
      id: expect.any(Number),
      at: 1_795_000_000_000,
      actor: 'admin',
      action: 'team.new',
      team_id: 'team-1',
      target: 'team-1',
      before: null,
      after: '{"a":1}',
      bulk_id: null,
      reason: null,
    })
  })

  test('pages go from the newest to the oldest and show each row once', async () => {
    for (const teamId of ['a', 'b', 'c', 'd', 'e']) await insertTeam(current(), teamId)
    const seen: string[] = []
    let beforeId: number | null = null
    for (;;) {
      const rows: AuditRecord[] = await current().read.listAudit({ limit: 2, beforeId, teamId: null })
      if (rows.length === 0) break
      seen.push(...rows.map(({ team_id }) => team_id))
      beforeId = rows.at(-1)?.id ?? null
    }
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
  })

  test('the filter keeps the rows of one team', async () => {
    const seen = (await insertTeam(current(), 'a')) ?? 0
    await insertTeam(current(), 'b')
    const team = buildTeamRow('a')
    await current().write.updateTeam({
      row: team,
      seen,
      audit: buildAuditEntry('team.update', { team_id: 'a' }),
    })
    const rows = await current().read.listAudit({ limit: 10, beforeId: null, teamId: 'a' })
    expect(actionsOf(rows)).toEqual(['team.update', 'team.new'])
    const [newest] = rows
    const older = await current().read.listAudit({ limit: 10, beforeId: newest?.id ?? 0, teamId: 'a' })
    expect(actionsOf(older)).toEqual(['team.new'])
  })
}
