// Makes, changes and deletes gateway keys: one audited write each, in force at once.
import type { GenerateKeyBody, UpdateKeyBody } from '@fairgate/contracts/management/key-bodies.ts'
import { applyKeyFields, buildNewKey, type KeyChange } from './apply-fields.ts'
import type { CommandDependencies } from './commands.ts'
import { createSecret } from './create-secret.ts'
import { toAuditRow, toKeyRow } from './directory-rows.ts'
import { buildKeySettings } from './records.ts'
import { requireKey, requireTeam } from './refusals.ts'

/** A key is named by itself or by its hash; `actor` is who did it, for the audit. */
export function createKeyCommands(dependencies: CommandDependencies) {
  const { memory, write, inTurn, clock, randomBytes, resolveModel, defaultMaxParallelRequests } = dependencies
  const keyChange = (actor: string): KeyChange => ({
    resolveModel,
    now: clock(),
    actor,
    defaultMaxParallelRequests,
  })

  const change = (reference: string, action: string, actor: string, fields: Omit<UpdateKeyBody, 'key'>) =>
    inTurn(async () => {
      const before = requireKey(memory, reference)
      const alteration = keyChange(actor)
      const after = applyKeyFields(before, fields, alteration)
      const states = { before: buildKeySettings(before), after: buildKeySettings(after) }
      const target = { teamId: before.teamId, target: before.keyHash }
      const audit = toAuditRow(alteration.now, { action, actor, ...target, ...states })
      await write.updateKey({ key: toKeyRow(after), audit })
      memory.setKey(after)
      return after
    })

  return {
    /** `secret` is the key itself, which is kept nowhere. Throws ApiError `team_not_found`, `invalid_request`. */
    generateKey: ({ team_id: teamId, ...fields }: GenerateKeyBody, actor: string) =>
      inTurn(async () => {
        requireTeam(memory, teamId)
        const { secret, hash: keyHash, name: keyName } = createSecret('sk-', randomBytes)
        const alteration = keyChange(actor)
        const key = buildNewKey({ keyHash, keyName, teamId }, fields, alteration)
        const states = { before: null, after: buildKeySettings(key) }
        const audited = { action: 'key.generate', actor, teamId, target: keyHash, ...states }
        await write.insertKey({ key: toKeyRow(key), audit: toAuditRow(alteration.now, audited) })
        memory.setKey(key)
        return { key, secret }
      }),
    /** Throws ApiError `key_not_found`, `invalid_request`. */
    updateKey: ({ key, ...fields }: UpdateKeyBody, actor: string) => change(key, 'key.update', actor, fields),
    /** Throws ApiError `key_not_found`. */
    setKeyBlocked: (reference: string, blocked: boolean, actor: string) =>
      change(reference, blocked ? 'key.block' : 'key.unblock', actor, { blocked }),
    /** All or none; resolves with their hashes. Throws ApiError `key_not_found`. */
    deleteKeys: (references: readonly string[], actor: string) =>
      inTurn(async () => {
        const found = references.map((reference, index) => requireKey(memory, reference, `keys[${index}]`))
        const keys = [...new Set(found)]
        const now = clock()
        const audit = keys.map(key => {
          const states = { before: buildKeySettings(key), after: null }
          const target = { teamId: key.teamId, target: key.keyHash }
          return toAuditRow(now, { action: 'key.delete', actor, ...target, ...states })
        })
        const keyHashes = keys.map(key => key.keyHash)
        await write.deleteKeys({ keyHashes, audit })
        for (const key of keys) memory.removeKey(key)
        return keyHashes
      }),
  }
}
