// Makes, changes, regenerates and deletes gateway keys: one audited write each, in force at once.
import type { GenerateKeyBody, UpdateKeyBody } from '@fairgate/contracts/management/key-bodies.ts'
import { applyKeyFields, buildNewKey, type KeyChange } from './apply-fields.ts'
import type { CommandDependencies } from './commands.ts'
import { createSecret } from './create-secret.ts'
import { toAuditRow, toKeyRow } from './directory-rows.ts'
import { requireKey } from './find-named.ts'
import { parseGrace } from './parse-key-duration.ts'
import { buildKeySettings } from './records.ts'
import { checkOwner, parseMember, requireTeam } from './refusals.ts'
import type { Key } from './types.ts'

/**
 * A key is named as `requireKey` says; `actor` is who did it, for the audit. Changes throw ApiError `conflict` (409) when others kept
 * getting in between.
 */
export function createKeyCommands(dependencies: CommandDependencies) {
  const { memory, write, run, clock, randomBytes, resolveModel, defaultMaxParallelRequests } = dependencies
  const keyChange = (actor: string): KeyChange => ({
    resolveModel,
    now: clock(),
    actor,
    defaultMaxParallelRequests,
  })

  const change = (reference: string, action: string, actor: string, fields: Omit<UpdateKeyBody, 'key'>) =>
    run(async () => {
      const before = requireKey(memory, reference)
      checkOwner(memory, before.teamId, fields.member_id)
      const alteration = keyChange(actor)
      const after = applyKeyFields(before, fields, alteration)
      const states = { before: buildKeySettings(before), after: buildKeySettings(after) }
      const target = { teamId: before.teamId, target: before.keyHash }
      const audit = toAuditRow(alteration.now, { action, actor, ...target, ...states })
      const seen = memory.versionOf(before)
      const version = await write.updateKey({ key: toKeyRow(after), seen, audit })
      if (version === null) return null
      memory.note(version, { key: after })
      return { version, result: after }
    })

  return {
    /** `secret` is the key itself, which is kept nowhere. Throws ApiError `team_not_found`, `invalid_request`. */
    generateKey: ({ team_id: teamId, ...fields }: GenerateKeyBody, actor: string) =>
      run(async () => {
        requireTeam(memory, teamId)
        checkOwner(memory, teamId, fields.member_id)
        const { secret, hash: keyHash, name: keyName } = createSecret('sk-', randomBytes)
        const alteration = keyChange(actor)
        const key = buildNewKey({ keyHash, keyName, teamId }, fields, alteration)
        const states = { before: null, after: buildKeySettings(key) }
        const audited = { action: 'key.generate', actor, teamId, target: keyHash, ...states }
        const audit = toAuditRow(alteration.now, audited)
        const version = await write.insertKey({ key: toKeyRow(key), audit })
        memory.note(version, { key })
        return { version, result: { key, secret } }
      }),
    /** Throws ApiError `key_not_found`, `invalid_request`. */
    updateKey: ({ key, ...fields }: UpdateKeyBody, actor: string) => change(key, 'key.update', actor, fields),
    /**
     * A new secret, which is kept nowhere, takes the place of the one in force; that one works for `grace` more (such as `15m`; none
     * when absent), and any before it no longer. Throws ApiError `key_not_found`, `invalid_request`.
     */
    regenerateKey: (reference: string, grace: string | null, actor: string) =>
      run(async () => {
        const before = requireKey(memory, reference)
        const graceMs = grace === null ? 0 : parseMember('grace', () => parseGrace(grace))
        const now = clock()
        const { secret, hash: secretHash, name: keyName } = createSecret('sk-', randomBytes)
        const previousHash = before.rotation?.secretHash ?? before.keyHash
        const count = (before.rotation?.count ?? 0) + 1
        const rotation = { count, at: now, secretHash, previousHash, previousUntil: now + graceMs }
        const key: Key = { ...before, keyName, rotation, updatedAt: now, updatedBy: actor }
        const states = { before: buildKeySettings(before), after: buildKeySettings(key) }
        const target = { teamId: key.teamId, target: key.keyHash }
        const audit = toAuditRow(now, { action: 'key.regenerate', actor, ...target, ...states })
        const seen = memory.versionOf(before)
        const version = await write.updateKey({ key: toKeyRow(key), seen, audit })
        if (version === null) return null
        memory.note(version, { key })
        return { version, result: { key, secret, previousUntil: graceMs === 0 ? null : now + graceMs } }
      }),
    /** Throws ApiError `key_not_found`. */
    setKeyBlocked: (reference: string, blocked: boolean, actor: string) =>
      change(reference, blocked ? 'key.block' : 'key.unblock', actor, { blocked }),
    /** All or none; resolves with their hashes. Throws ApiError `key_not_found`. */
    deleteKeys: (references: readonly string[], actor: string) =>
      run(async () => {
        const found = references.map((reference, index) => requireKey(memory, reference, `keys[${index}]`))
        const keys = [...new Set(found)]
        const now = clock()
        const audit = keys.map(key => {
          const states = { before: buildKeySettings(key), after: null }
          const target = { teamId: key.teamId, target: key.keyHash }
          return toAuditRow(now, { action: 'key.delete', actor, ...target, ...states })
        })
        const seen = keys.map(key => ({ keyHash: key.keyHash, seen: memory.versionOf(key) }))
        const deletedBy = actor
        const version = await write.deleteKeys({ keys: seen, audit, deletedAt: now, deletedBy })
        if (version === null) return null
        const deletedKeys = keys.map(({ keyHash, keyName, alias, teamId, userId, memberId = null }) => {
          return { keyHash, keyName, alias, teamId, userId, memberId, deletedAt: now, deletedBy }
        })
        memory.note(version, { deletedKeys })
        return { version, result: keys.map(({ keyHash }) => keyHash) }
      }),
  }
}
