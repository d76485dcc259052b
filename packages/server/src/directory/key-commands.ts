// Makes, changes and deletes gateway keys: one audited write each, in force at once.
import type { GenerateKeyBody, UpdateKeyBody } from '@fairgate/contracts/management/key-bodies.ts'
import { applyKeyFields, buildNewKey, type KeyChange } from './apply-fields.ts'
import type { CommandDependencies } from './commands.ts'
import { createSecret } from './create-secret.ts'
import { toAuditRow, toKeyRow } from './directory-rows.ts'
import { buildKeySettings } from './records.ts'
import { requireKey, requireTeam } from './refusals.ts'
import type { Key } from './types.ts'

/** A key is named by itself or by its hash; `actor` is who did it, for the audit. */
export type KeyCommands = {
  /** `secret` is the key itself, which is kept nowhere. Throws ApiError `team_not_found`, `invalid_request`. */
  readonly generateKey: (body: GenerateKeyBody, actor: string) => Promise<{ key: Key; secret: string }>
  /** Throws ApiError `key_not_found`, `invalid_request`. */
  readonly updateKey: (body: UpdateKeyBody, actor: string) => Promise<Key>
  /** Throws ApiError `key_not_found`. */
  readonly setKeyBlocked: (reference: string, blocked: boolean, actor: string) => Promise<Key>
  /** All or none; returns their hashes. Throws ApiError `key_not_found`. */
  readonly deleteKeys: (references: readonly string[], actor: string) => Promise<string[]>
}

export function createKeyCommands(dependencies: CommandDependencies): KeyCommands {
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
    generateKey: ({ team_id: teamId, ...fields }, actor) =>
      inTurn(async () => {
        requireTeam(memory, teamId)
        const { secret, hash: keyHash, name: keyName } = createSecret('sk-', randomBytes)
        const alteration = keyChange(actor)
        const key = buildNewKey({ keyHash, keyName, teamId }, fields, alteration)
        const states = { before: null, after: buildKeySettings(key) }
        const audit = toAuditRow(alteration.now, {
          action: 'key.generate',
          actor,
          teamId,
          target: keyHash,
          ...states,
        })
        await write.insertKey({ key: toKeyRow(key), audit })
        memory.setKey(key)
        return { key, secret }
      }),
    updateKey: ({ key, ...fields }, actor) => change(key, 'key.update', actor, fields),
    setKeyBlocked: (reference, blocked, actor) =>
      change(reference, blocked ? 'key.block' : 'key.unblock', actor, { blocked }),
    deleteKeys: (references, actor) =>
      inTurn(async () => {
        const found = references.map((reference, index) => requireKey(memory, reference, `keys[${index}]`))
        const keys = [...new Set(found)]
        const now = clock()
        const audit = keys.map(key =>
          toAuditRow(now, {
            action: 'key.delete',
            actor,
            teamId: key.teamId,
            target: key.keyHash,
            before: buildKeySettings(key),
            after: null,
          }),
        )
        const keyHashes = keys.map(key => key.keyHash)
        await write.deleteKeys({ keyHashes, audit })
        for (const key of keys) memory.removeKey(key)
        return keyHashes
      }),
  }
}
