// Engine tests: log tokens.
import { beforeEach, expect, test } from 'bun:test'
import { buildAuditEntry, buildLogTokenRow } from '../build-directory-rows.ts'
import { failureOf } from '../failure-of.ts'
import { actionsOf, type Current, insertTeam, readAudit, readDirectory } from './store-actions.ts'

export function describeLogTokens(current: Current): void {
  const insertLogToken = (tokenId: string, changes: Parameters<typeof buildLogTokenRow>[1] = {}) =>
    current().write.insertLogToken({
      row: buildLogTokenRow(tokenId, changes),
      audit: buildAuditEntry('log_token.generate', { target: tokenId }),
    })
  beforeEach(() => insertTeam(current(), 'team-1'))

  test('tokens are read back as written, in order of creation', async () => {
    await insertLogToken('lt_2', { created_at: 2000 })
    await insertLogToken('lt_1')
    const expected = [buildLogTokenRow('lt_1'), buildLogTokenRow('lt_2', { created_at: 2000 })]
    expect((await readDirectory(current())).logTokens).toEqual(expected)
  })

  test('a revoked token stays listed with its time', async () => {
    const seen = await insertLogToken('lt_1')
    await insertLogToken('lt_2')
    const revoke = (revokedAt: number) =>
      current().write.revokeLogToken({
        row: { token_hash: 'hash of lt_1', revoked_at: revokedAt },
        seen,
        audit: buildAuditEntry('log_token.revoke', { target: 'lt_1' }),
      })
    expect(await revoke(1_795_000_000_000)).toBe(seen + 2)
    expect(await revoke(1_796_000_000_000)).toBeNull()
    const tokens = (await readDirectory(current())).logTokens
    expect(tokens.map(({ revoked_at }) => revoked_at)).toEqual([1_795_000_000_000, null])
    expect(actionsOf(await readAudit(current()))[0]).toBe('log_token.revoke')
  })

  test('an id or a hash is never given twice', async () => {
    await insertLogToken('lt_1')
    await failureOf(insertLogToken('lt_1', { token_hash: 'other' }))
    await failureOf(insertLogToken('lt_2', { token_hash: 'hash of lt_1' }))
    expect((await readDirectory(current())).logTokens).toHaveLength(1)
  })

  test('a token of an unknown team is refused', async () => {
    await failureOf(insertLogToken('lt_1', { team_id: 'nobody' }))
  })
}
