// Engine tests: claims. The preview is checked in the transaction that makes the change.
import { beforeEach, expect, test } from 'bun:test'
import type { ClaimRow, ForeseenTeams } from '../../statements/claims.ts'
import { buildAuditEntry, buildMemberRow } from '../build-directory-rows.ts'
import { type Current, insertTeam } from './store-actions.ts'

export function describeClaims(current: Current): void {
  const build = (id: string, changes: Partial<ClaimRow> = {}): ClaimRow => ({
    claim_id: id,
    team_id: 'team-1',
    code_hash: `hash of ${id}`,
    code_name: 'AB12',
    seats: 2,
    seats_left: 2,
    uses: 0,
    last_used_at: null,
    expires_at: 9000,
    ended_at: null,
    end_reason: null,
    created_at: 1000,
    created_by: 'ada',
    ...changes,
  })
  const addMember = (id: string, team = 'team-1') =>
    current().write.insertMember({
      member: buildMemberRow(id, { team_id: team }),
      audit: buildAuditEntry('member.add'),
    })
  const insert = (foreseen: ForeseenTeams | null, ...claims: ClaimRow[]) =>
    current().write.insertClaims({ claims, foreseen, now: 2000, audit: [buildAuditEntry('claim.new')] })
  const renew = (id: string, seatsLeft: number | null, foreseen: ForeseenTeams | null = null) =>
    current().write.endClaim({
      claimId: id,
      reason: 'renewed',
      now: 2000,
      next: build(`${id} renewed`),
      seatsLeft,
      foreseen,
      audit: buildAuditEntry('claim.renew'),
    })
  const one = (count: number, isEveryTeam = false): ForeseenTeams => ({
    freeMembers: [{ teamId: 'team-1', count }],
    isEveryTeam,
  })
  const listClaims = async () => {
    const rows = await current().read.listClaims({ teamId: null, workingAt: null, after: null, limit: 99 })
    return rows.map(({ claim_id }) => claim_id).sort()
  }
  beforeEach(() => insertTeam(current(), 'team-1'))

  test('codes are made if the members are the expected ones', async () => {
    await addMember('mb_1')
    expect(await insert(one(0), build('a'))).toEqual({ kind: 'outdated' })
    expect(await insert(one(1), build('a'))).toEqual({ kind: 'written' })
    expect(await insert(null, build('b'))).toEqual({ kind: 'taken', teamIds: ['team-1'] })
    expect(await insert(one(1), build('b'))).toEqual({ kind: 'outdated' })
    expect(await listClaims()).toEqual(['a'])
  })

  test('codes for all teams are made for exactly the expected ones', async () => {
    await insertTeam(current(), 'team-2')
    expect(await insert(one(0, true), build('a'))).toEqual({ kind: 'outdated' })
    expect(await insert(one(0), build('a'))).toEqual({ kind: 'written' })
    const second = { freeMembers: [{ teamId: 'team-2', count: 0 }], isEveryTeam: true }
    expect(await insert(second, build('b', { team_id: 'team-2' }))).toEqual({ kind: 'written' })
  })

  test('if several make a code for one team at once, one succeeds', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => insert(one(0), build(`claim-${index}`))),
    )
    expect(outcomes.filter(({ kind }) => kind === 'written')).toHaveLength(1)
    expect(await listClaims()).toHaveLength(1)
  })

  test('a code is renewed once, for the expected seats and members', async () => {
    await insert(null, build('a'))
    expect([await renew('a', 1), await renew('a', 2, one(1))]).toEqual(['outdated', 'outdated'])
    expect(await listClaims()).toEqual(['a'])
    expect([await renew('a', 2, one(0)), await renew('a', null), await renew('none', null)]).toEqual([
      'written',
      'ended',
      'ended',
    ])
    expect(await listClaims()).toEqual(['a', 'a renewed'])
  })
}
