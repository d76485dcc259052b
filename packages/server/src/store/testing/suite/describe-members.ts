// Engine tests: members.
import { beforeEach, expect, test } from 'bun:test'
import { buildAuditEntry, buildKeyRow, buildLogTokenRow, buildMemberRow } from '../build-directory-rows.ts'
import { failureOf } from '../failure-of.ts'
import { actionsOf, type Current, insertTeam, readAudit, readDirectory } from './store-actions.ts'

export function describeMembers(current: Current): void {
  const insert = (memberId: string, changes: Parameters<typeof buildMemberRow>[1] = {}) =>
    current().write.insertMember({
      member: buildMemberRow(memberId, changes),
      audit: buildAuditEntry('member.add', { target: memberId }),
    })
  beforeEach(() => insertTeam(current(), 'team-1'))

  test('members are read back as written, in order of creation', async () => {
    await insert('mb_2', { created_at: 2000, email: 'two@example.org' })
    await insert('mb_1')
    const expected = [
      buildMemberRow('mb_1'),
      buildMemberRow('mb_2', { created_at: 2000, email: 'two@example.org' }),
    ]
    expect((await readDirectory(current())).members).toEqual(expected)
  })

  test('a name or an address is unique in the team, apart from those of removed members', async () => {
    await insert('mb_1', { name_key: 'ada', email: 'ada@example.org' })
    expect(await insert('mb_2', { name_key: 'ada' })).toBeNull()
    expect(await insert('mb_2', { email: 'ada@example.org' })).toBeNull()
    await insertTeam(current(), 'team-2')
    expect(await insert('mb_3', { name_key: 'ada', team_id: 'team-2' })).not.toBeNull()
    await insert('mb_4', { name_key: 'eve', removed_at: 2000 })
    expect(await insert('mb_5', { name_key: 'eve' })).not.toBeNull()
    expect(actionsOf(await readAudit(current())).filter(action => action === 'member.add')).toHaveLength(4)
  })

  test('a change from an older version writes nothing', async () => {
    const seen = (await insert('mb_1')) ?? 0
    const update = (name: string) =>
      current().write.updateMember({
        member: buildMemberRow('mb_1', { name, name_key: name }),
        seen,
        audit: buildAuditEntry('member.update', { target: 'mb_1' }),
      })
    expect(await update('ada')).toBe(seen + 1)
    expect(await update('eve')).toBeNull()
    expect((await readDirectory(current())).members).toMatchObject([{ name: 'ada' }])
  })

  test('removing stops keys and tokens together with the member, or nothing at all', async () => {
    const { write } = current()
    const member = (await insert('mb_1')) ?? 0
    const key = await write.insertKey({
      row: buildKeyRow('key-1', { member_id: 'mb_1' }),
      audit: buildAuditEntry('key.generate'),
    })
    const token = await write.insertLogToken({
      row: buildLogTokenRow('lt_1', { member_id: 'mb_1' }),
      audit: buildAuditEntry('log_token.generate'),
    })
    const remove = (seenKey: number) =>
      write.removeMember({
        member: buildMemberRow('mb_1', { removed_at: 5000 }),
        seen: member,
        keys: [{ keyHash: 'key-1', seen: seenKey }],
        tokens: [{ tokenHash: 'hash of lt_1', seen: token }],
        now: 5000,
        actor: 'ada',
        audit: [buildAuditEntry('member.remove')],
      })
    expect(await remove(key - 1)).toBeNull()
    expect(await readDirectory(current())).toMatchObject({
      members: [{ removed_at: null }],
      keys: [{ blocked: null }],
      logTokens: [{ revoked_at: null }],
    })
    expect(await remove(key)).toBe(token + 1)
    expect(await readDirectory(current())).toMatchObject({
      members: [{ removed_at: 5000 }],
      keys: [{ blocked: 1, updated_by: 'ada', updated_at: 5000 }],
      logTokens: [{ revoked_at: 5000 }],
    })
  })

  test('a member of an unknown team is refused', async () => {
    await failureOf(insert('mb_1', { team_id: 'nobody' }))
  })
}
