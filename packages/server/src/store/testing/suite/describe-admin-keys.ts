// Engine tests: admin keys. A name belongs to only one of them, also if more than one request wants it at once.
import { expect, test } from 'bun:test'
import type { AdminKeyRow } from '../../statements/admin-keys.ts'
import { buildAuditEntry } from '../build-directory-rows.ts'
import type { Current } from './store-actions.ts'

export function describeAdminKeys(current: Current): void {
  const audit = buildAuditEntry('admin_key.update')
  const build = (id: string): AdminKeyRow => ({
    key_id: id,
    key_hash: `hash of ${id}`,
    key_name: `adm-…${id}`,
    name: id,
    folded_name: id,
    role: 'judge',
    blocked: 0,
    created_at: 1000,
    created_by: 'admin',
  })
  const insert = (id: string) => current().write.insertAdminKey({ key: build(id), audit })
  const rename = (id: string, name: string) =>
    current().write.updateAdminKey({
      keyId: id,
      keyHash: `hash of ${id}`,
      change: { name, folded_name: name },
      audit,
    })

  // Fails if the update does not check first: the unique index then fails the statement.
  test('if several ask for one name at once, one gets it', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `key-${index}`)
    for (const id of ids) await insert(id)
    const outcomes = await Promise.all([...ids.map(id => rename(id, 'ada')), insert('ada')])
    expect(outcomes.filter(isNamed => isNamed)).toHaveLength(1)
    const keys = await current().read.listAdminKeys(null)
    expect(keys.filter(({ folded_name }) => folded_name === 'ada')).toHaveLength(1)
    expect(await current().read.listAudit({ limit: 99, beforeId: null, teamId: null })).toHaveLength(9)
  })

  test('a key may be given the name it already has', async () => {
    await insert('ada')
    expect(await rename('ada', 'ada')).toBe(true)
  })
}
