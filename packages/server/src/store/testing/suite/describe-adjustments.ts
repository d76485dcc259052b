// Engine tests: corrections of spend and grants.
import { expect, test } from 'bun:test'
import { refundOf } from '../../../ledger/refund.ts'
import { buildAuditEntry, buildTeamRow } from '../build-directory-rows.ts'
import { buildAdjustment, buildCharge, buildGrant } from '../build-ledger-rows.ts'
import { atOnce, type Current, charge, insertTeam, readDirectory, readTotals } from './store-actions.ts'

export function describeAdjustments(current: Current): void {
  const audit = buildAuditEntry('spend.adjust')
  const write = (id: string, changes: Parameters<typeof buildAdjustment>[1]) => writeSeen(id, null, changes)
  const writeSeen = (id: string, seenLeft: number | null, changes: Parameters<typeof buildAdjustment>[1]) =>
    current().write.writeAdjustment({ adjustment: buildAdjustment(id, changes), audit, slot: 0, seenLeft })

  // Fails if a row that already exists changes the totals again.
  test('a correction moves team, key, key with model and event, once', async () => {
    await charge(current(), buildCharge('a', { cost: 100 }))
    const toKey = { key_hash: 'key-1', model_id: 'model-1', amount_nano: -30 }
    expect(await write('one', toKey)).toBe('written')
    expect(await write('one', toKey)).toBe('known')
    expect(await write('two', { amount_nano: 5 })).toBe('written')
    expect(await readTotals(current())).toEqual({
      event: [0, 75, 75],
      'team:team-1': [1000, 75, 75],
      'key:key-1': [1000, 70, 70],
      'key_model:key-1:model-1': [1000, 70, 70],
    })
    expect(await current().read.listAudit({ limit: 9, beforeId: null, teamId: null })).toHaveLength(2)
  })

  test('an earlier period moves only the lifetime, a later one begins', async () => {
    await charge(current(), buildCharge('a', { cost: 100, periods: { team: 5000, key: 5000 } }))
    await write('late', { key_hash: 'key-1', amount_nano: 7, team_period: 1000, key_period: 1000 })
    await write('next', { key_hash: 'key-1', amount_nano: 9, team_period: 9000, key_period: 5000 })
    expect(await readTotals(current())).toMatchObject({
      event: [0, 116, 116],
      'team:team-1': [9000, 9, 116],
      'key:key-1': [5000, 109, 116],
    })
  })

  // Fails if each refund is compared only with the charge.
  test('refunds of a call never exceed its cost, in one step or in several', async () => {
    await charge(current(), buildCharge('a', { cost: 100 }), buildCharge('b', { cost: 100 }))
    const back = (id: string, amount: number, call = 'a') =>
      write(id, { kind: 'refund', call_id: call, key_hash: 'key-1', amount_nano: -amount })
    expect(await back('all', 101)).toBe('too_much')
    expect(await back('most', 60)).toBe('written')
    expect(await back('more', 41)).toBe('too_much')
    expect(await back('rest', 40)).toBe('written')
    expect(await back('unknown', 1, 'no such call')).toBe('too_much')
    const attempts = await Promise.all(
      Array.from({ length: atOnce }, (_, index) => back(`b ${index}`, 70, 'b')),
    )
    expect(attempts.filter(outcome => outcome === 'written')).toHaveLength(1)
    expect(await readTotals(current())).toMatchObject({ event: [0, 30, 30], 'key:key-1': [1000, 30, 30] })
  })

  test('a call is found with the rest of its charge, and only by its own id', async () => {
    await insertTeam(current(), 'team-1')
    const call = buildCharge('a', { cost: 100, admittedAt: 2500 })
    await charge(current(), call, { ...call, callId: refundOf('a'), cost: -25, outcome: 'refunded' })
    await charge(current(), buildCharge('b', { cost: 7 }), buildCharge('c', { cost: 9, teamId: 'gone' }))
    await write('one', { kind: 'refund', call_id: 'a', key_hash: 'key-1', amount_nano: -30 })
    await write('two', { kind: 'adjust', call_id: 'a', key_hash: 'key-1', amount_nano: 5 })
    const find = (callId: string) => current().read.readCorrectableCall({ callId })
    expect(await find('a')).toEqual({
      callId: 'a',
      teamId: 'team-1',
      keyHash: 'key-1',
      modelId: 'model-1',
      admittedAt: 2500,
      charged: 100,
      left: 50,
    })
    expect(await find('b')).toMatchObject({ charged: 7, left: 7 })
    // A team that does not exist, the row of a refund, an unknown id, and an impossible id.
    for (const callId of ['c', refundOf('a'), 'nothing', 'a\0']) expect(await find(callId)).toBeNull()
  })

  test('a correction never takes off more than was spent', async () => {
    await charge(current(), buildCharge('a', { cost: 10 }), buildCharge('b', { cost: 9, keyHash: 'key-2' }))
    expect(await write('team', { amount_nano: -20 })).toBe('too_much')
    expect(await write('key', { key_hash: 'key-2', amount_nano: -10 })).toBe('too_much')
    expect(await write('period', { amount_nano: -1, team_period: 500 })).toBe('too_much')
    expect(await readTotals(current())).toMatchObject({ event: [0, 19, 19] })
    expect(await current().read.listAudit({ limit: 9, beforeId: null, teamId: null })).toEqual([])
  })

  // Fails if the rest is not compared within the transaction.
  test('a correction is made only if the rest of the call is still what was seen', async () => {
    await charge(current(), buildCharge('a', { cost: 100 }))
    const adjust = (id: string, seenLeft: number | null, amount: number) =>
      writeSeen(id, seenLeft, { call_id: 'a', key_hash: 'key-1', amount_nano: amount })
    expect(await adjust('early', 99, -10)).toBe('outdated')
    const attempts = await Promise.all(
      Array.from({ length: atOnce }, (_, index) => adjust(`at once ${index}`, 100, -10)),
    )
    expect(attempts.filter(outcome => outcome === 'written')).toHaveLength(1)
    expect(attempts.filter(outcome => outcome === 'outdated')).toHaveLength(atOnce - 1)
    expect(await adjust('unseen', null, -10)).toBe('written')
    expect(await readTotals(current())).toMatchObject({ event: [0, 80, 80] })
    const known = (adjustmentId: string, teamId = 'team-1') =>
      current().read.hasAdjustment({ teamId, adjustmentId })
    expect([await known('unseen'), await known('early'), await known('unseen', 'team-2')]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('a grant raises the budget of its team in one period, and moves no total', async () => {
    await insertTeam(current(), 'team-1')
    const grant = (id: string, seen: number, granted: number, period = 1000) =>
      current().write.grantTeams({
        grants: [{ adjustment: buildGrant(id, { amount_nano: 1, team_period: period }), granted, seen }],
        audit: [audit],
      })
    expect(await grant('one', 1, 30)).toEqual({ kind: 'written', version: 2 })
    expect(await grant('one', 2, 60)).toEqual({ kind: 'known', teamId: 'team-1' })
    await grant('two', 2, 42)
    const granted = async () => (await readDirectory(current())).teams
    expect(await granted()).toEqual([buildTeamRow('team-1', { granted_nano: 42, granted_period: 1000 })])
    await grant('next period', 3, 5, 2000)
    expect(await granted()).toMatchObject([{ granted_nano: 5, granted_period: 2000 }])
    expect(await current().read.readTotals()).toEqual([])
  })

  // Fails if the version of a team, or its existing ids, are not checked.
  test('grants to many teams are all written or none', async () => {
    for (const teamId of ['team-1', 'team-2']) await insertTeam(current(), teamId)
    const grant = (id: string, seen: readonly number[]) =>
      current().write.grantTeams({
        grants: seen.map((version, index) => ({
          adjustment: buildGrant(id, { team_id: `team-${index + 1}`, amount_nano: 7 }),
          granted: 7 * version,
          seen: version,
        })),
        audit: [audit, audit],
      })
    const granted = async () => (await readDirectory(current())).teams.map(({ granted_nano }) => granted_nano)
    expect(await grant('one', [1, 2])).toEqual({ kind: 'written', version: 3 })
    expect(await granted()).toEqual([7, 14])
    expect(await grant('two', [3, 2])).toEqual({ kind: 'outdated' })
    expect(await grant('two', [3, 3, 3])).toEqual({ kind: 'outdated' })
    const single = buildGrant('three', { team_id: 'team-2', amount_nano: 1 })
    await current().write.grantTeams({
      grants: [{ adjustment: single, granted: 15, seen: 3 }],
      audit: [audit],
    })
    expect(await grant('three', [3, 4])).toEqual({ kind: 'known', teamId: 'team-2' })
    expect(await granted()).toEqual([7, 15])
    const attempts = await Promise.all(
      Array.from({ length: atOnce }, (_, index) => grant(`at once ${index}`, [3, 4])),
    )
    expect(attempts.filter(({ kind }) => kind === 'written')).toHaveLength(1)
    expect(await current().read.listAudit({ limit: 9, beforeId: null, teamId: null })).toHaveLength(7)
  })
}
