// Engine tests: gateway keys.
import { beforeEach, expect, test } from 'bun:test'
import { buildAuditEntry, buildKeyRow } from '../build-directory-rows.ts'
import { buildCharge } from '../build-ledger-rows.ts'
import { failureOf } from '../failure-of.ts'
import {
  actionsOf,
  type Current,
  charge,
  insertTeam,
  readAudit,
  readDirectory,
  readTotals,
} from './store-actions.ts'

export function describeKeys(current: Current): void {
  const insertKey = (keyHash: string, changes: Parameters<typeof buildKeyRow>[1] = {}) =>
    current().write.insertKey({
      row: buildKeyRow(keyHash, changes),
      audit: buildAuditEntry('key.generate', { target: keyHash }),
    })
  /** The names that a deletion uses. */
  const insertKeys = async (keyHashes: readonly string[]) => {
    const keys: { keyHash: string; seen: number }[] = []
    for (const keyHash of keyHashes) keys.push({ keyHash, seen: await insertKey(keyHash) })
    return keys
  }
  beforeEach(() => insertTeam(current(), 'team-1'))

  test('a key is read back as written, every column of it', async () => {
    const changes = {
      key_name: 'sk-...wxyz',
      alias: 'laptop',
      user_id: 'someone',
      aliases: '{"fast":"model-1"}',
      model_max_budget: '{"model-1":5000000000}',
      max_parallel_requests: 1_000_000,
      expires_at: 1_795_000_000_000,
      allowed_routes: '["/v1/models"]',
      blocked: 0,
      max_budget_nano: 1,
    }
    await insertKey('key-1', changes)
    expect((await readDirectory(current())).keys).toEqual([buildKeyRow('key-1', changes)])
  })

  test('keys come in order of creation', async () => {
    await insertKey('c', { created_at: 3 })
    await insertKey('b', { created_at: 1 })
    await insertKey('a', { created_at: 3 })
    expect((await readDirectory(current())).keys.map(({ key_hash }) => key_hash)).toEqual(['b', 'a', 'c'])
  })

  test('a key of an unknown team is refused', async () => {
    await failureOf(insertKey('key-1', { team_id: 'nobody' }))
    expect((await readDirectory(current())).keys).toEqual([])
    expect(actionsOf(await readAudit(current()))).toEqual(['team.new'])
  })

  test('an update changes only that key', async () => {
    const seen = await insertKey('key-1')
    await insertKey('key-2')
    const changed = buildKeyRow('key-1', { alias: 'new', expires_at: 5, max_parallel_requests: 3 })
    expect(
      await current().write.updateKey({ row: changed, seen, audit: buildAuditEntry('key.update') }),
    ).toBe(seen + 2)
    expect((await readDirectory(current())).keys).toEqual([changed, buildKeyRow('key-2')])
  })

  const deleted = { deletedAt: 7, deletedBy: 'admin' }

  test('deleting removes the named keys, audits each in order, and keeps their charges', async () => {
    const [first, , third] = await insertKeys(['key-1', 'key-2', 'key-3'])
    await charge(current(), buildCharge('a'))
    await current().write.deleteKeys({
      keys: [first, third].flatMap(key => key ?? []),
      audit: ['key-1', 'key-3'].map(target => buildAuditEntry('key.delete', { target })),
      ...deleted,
    })
    expect((await readDirectory(current())).keys.map(({ key_hash }) => key_hash)).toEqual(['key-2'])
    const [last, before] = await readAudit(current())
    expect([before?.target, last?.target]).toEqual(['key-1', 'key-3'])
    expect(await readTotals(current())).toMatchObject({ 'key:key-1': [1000, 10, 10] })
    const { deletedNames } = await current().read.readDirectory({ after: null })
    const named = { key_name: 'sk-...abcd', alias: '', team_id: 'team-1', deleted_at: 7, deleted_by: 'admin' }
    expect(deletedNames).toMatchObject([
      { key_hash: 'key-1', ...named },
      { key_hash: 'key-3', ...named },
    ])
  })

  test('deleting is all or none: if one key was changed or deleted meanwhile, the others stay', async () => {
    const keys = await insertKeys(['key-1', 'key-2', 'key-3'])
    const [first, second, third] = keys
    const audit = [buildAuditEntry('key.delete')]
    if (first === undefined || second === undefined || third === undefined) throw new Error('Three keys.')
    await current().write.updateKey({
      row: buildKeyRow('key-2', { alias: 'changed' }),
      seen: second.seen,
      audit: buildAuditEntry('key.update'),
    })
    expect(await current().write.deleteKeys({ keys, audit, ...deleted })).toBeNull()
    expect(await current().write.deleteKeys({ keys: [first], audit, ...deleted })).toBeGreaterThan(third.seen)
    expect(await current().write.deleteKeys({ keys: [first, third], audit, ...deleted })).toBeNull()
    expect((await readDirectory(current())).keys.map(({ key_hash }) => key_hash)).toEqual(['key-2', 'key-3'])
    expect(actionsOf(await readAudit(current())).slice(0, 2)).toEqual(['key.delete', 'key.update'])
  })

  test('a thousand keys go in one call', async () => {
    const keyHashes = Array.from({ length: 1000 }, (_, number) => `key-${number}`)
    // Some of them: a thousand commits would take a slow disk longer than the test may last.
    const keys = await insertKeys(keyHashes.filter((_, number) => number % 37 === 0))
    const audit = keyHashes.map(target => buildAuditEntry('key.delete', { target }))
    expect(await current().write.deleteKeys({ keys, audit, ...deleted })).not.toBeNull()
    expect((await readDirectory(current())).keys).toEqual([])
  })
}
