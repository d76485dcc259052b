// Creates, changes, regenerates and deletes gateway keys: one audited write each, which applies at once.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type {
  DeleteKeysBody,
  GenerateKeyBody,
  RegenerateKeyBody,
  UpdateKeyBody,
} from '@fairgate/contracts/management/key-bodies.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import { applyKeyFields, buildNewKey, type KeyChange } from './apply-fields.ts'
import { type Acting, auditKey } from './audit.ts'
import type { CommandDependencies } from './commands.ts'
import { createSecret } from './create-secret.ts'
import { toKeyRow } from './directory-rows.ts'
import { requireKey } from './find-named.ts'
import { listKeyChanges } from './list-changes.ts'
import { parseGrace } from './parse-key-duration.ts'
import { type ActionResult, carryOut, planChange } from './planned-action.ts'
import { checkOwner, parseMember, refuseValue, requireTeam } from './refusals.ts'
import type { Key } from './types.ts'

/**
 * `requireKey` describes how to name a key; `actor` made the change, for the audit. Changes throw ApiError `conflict` (409) if other
 * writers kept winning.
 */
export function createKeyCommands(dependencies: CommandDependencies) {
  const { memory, write, run, clock, randomBytes, resolveModel, defaultMaxParallelRequests } = dependencies
  const keyChange = (actor: string): KeyChange => ({
    resolveModel,
    now: clock(),
    actor,
    defaultMaxParallelRequests,
  })

  type Alteration<Result> = {
    readonly action: string
    readonly before: Key
    readonly after: Key
    readonly result: Result
  }

  /** Null if another process has changed the key since. */
  const writeKey = async <Result>(alteration: Alteration<Result>, { reason }: ActionBody, actor: string) => {
    const { action, before, after, result } = alteration
    const audit = auditKey({ now: after.updatedAt, actor, reason }, action, before, after)
    const version = await write.updateKey({ row: toKeyRow(after), seen: memory.versionOf(before), audit })
    return memory.commit(version, { keys: [after] }, result)
  }

  return {
    /** `secret` is the key itself, which is not stored. Throws ApiError `team_not_found`, `invalid_request`. */
    generateKey: ({ team_id: teamId, ...fields }: GenerateKeyBody, actor: string) =>
      run(async () => {
        requireTeam(memory, teamId)
        checkOwner(memory, teamId, fields.member_id)
        const { secret, hash: keyHash, name: keyName } = createSecret('sk-', randomBytes)
        const alteration = keyChange(actor)
        const key = buildNewKey({ keyHash, keyName, teamId }, fields, alteration)
        const audit = auditKey(alteration, 'key.generate', null, key)
        const version = await write.insertKey({ row: toKeyRow(key), audit })
        return memory.commit(version, { keys: [key] }, { key, secret })
      }),
    /** Throws ApiError `key_not_found`, `invalid_request`, `preview_outdated`. */
    updateKey: ({ key: reference, ...fields }: UpdateKeyBody, actor: string): Promise<ActionResult<Key>> =>
      carryOut({ run, clock }, fields, {
        plan: () => {
          const before = requireKey(memory, reference)
          checkOwner(memory, before.teamId, fields.member_id)
          const after = applyKeyFields(before, fields, keyChange(actor))
          const changes = listKeyChanges(before, after, fields)
          return { plan: { changes, basis: [memory.versionOf(before)] }, before, after }
        },
        make: ({ before, after }) =>
          writeKey({ action: 'key.update', before, after, result: after }, fields, actor),
      }),
    /**
     * Replaces the secret with a new one, which is not stored. The old one works for another `grace` (such as `15m`; not at all if absent),
     * and any before it no longer works. Throws ApiError `key_not_found`, `invalid_request`, `preview_outdated`.
     */
    regenerateKey: (reference: string, request: RegenerateKeyBody, actor: string) =>
      carryOut({ run, clock }, request, {
        plan: () => {
          const before = requireKey(memory, reference)
          const graceMs = readGrace(request)
          const changes = [
            ...planChange('key.key_name', before.keyHash, before.keyName, 'a new secret'),
            ...planChange('key.grace_ms', before.keyHash, null, graceMs),
          ]
          return { plan: { changes, basis: [memory.versionOf(before)] }, before, graceMs }
        },
        make: async ({ before, graceMs }, now) => {
          const { secret, hash: secretHash, name: keyName } = createSecret('sk-', randomBytes)
          const previousHash = before.rotation?.secretHash ?? before.keyHash
          const count = (before.rotation?.count ?? 0) + 1
          const rotation = { count, at: now, secretHash, previousHash, previousUntil: now + graceMs }
          const after: Key = { ...before, keyName, rotation, updatedAt: now, updatedBy: actor }
          const result = { key: after, secret, previousUntil: graceMs === 0 ? null : now + graceMs }
          return await writeKey({ action: 'key.regenerate', before, after, result }, request, actor)
        },
      }),
    /** Throws ApiError `key_not_found`, `preview_outdated`. */
    setKeyBlocked: (
      reference: string,
      blocked: boolean,
      request: ActionBody,
      actor: string,
    ): Promise<ActionResult<Key>> =>
      carryOut({ run, clock }, request, {
        plan: () => {
          const before = requireKey(memory, reference)
          const changes = planChange('key.blocked', before.keyHash, before.blocked === true, blocked)
          return { plan: { changes, basis: [memory.versionOf(before)] }, before }
        },
        make: async ({ before }) => {
          const after = applyKeyFields(before, { blocked }, keyChange(actor))
          const action = blocked ? 'key.block' : 'key.unblock'
          return await writeKey({ action, before, after, result: after }, request, actor)
        },
      }),
    /** All or none; resolves with their hashes. Throws ApiError `key_not_found`, `preview_outdated`. */
    deleteKeys: (
      { keys: named = [], key_aliases: aliases = [], ...request }: DeleteKeysBody,
      actor: string,
    ) =>
      carryOut({ run, clock }, request, {
        plan: () => {
          const found = [
            ...named.map((reference, index) => requireKey(memory, reference, `keys[${index}]`)),
            ...aliases.map((reference, index) => requireKey(memory, reference, `key_aliases[${index}]`)),
          ]
          if (found.length === 0) throw invalidRequest('keys', 'keys is required.')
          const keys = [...new Set(found)]
          const changes = keys.flatMap(({ keyHash }) => planChange('key.deleted', keyHash, false, true))
          const basis = keys.map(key => memory.versionOf(key))
          return { plan: { changes, basis }, keys }
        },
        make: async ({ keys }, now) => {
          return await deleteKeys(dependencies, keys, { now, actor, reason: request.reason })
        },
      }),
  }
}

/** Milliseconds; LiteLLM has another name for it. */
function readGrace({ grace = null, grace_period: period = null }: RegenerateKeyBody): number {
  if (grace !== null && period !== null)
    throw refuseValue('grace_period', 'grace has the same meaning. Send one.')
  const [member, text] = period === null ? (['grace', grace] as const) : (['grace_period', period] as const)
  return text === null ? 0 : parseMember(member, () => parseGrace(text))
}

/** Deletes them in one write; their names stay for reports. Null if another process has changed one of them since. */
export async function deleteKeys(
  { memory, write }: Pick<CommandDependencies, 'memory' | 'write'>,
  keys: readonly Key[],
  acting: Acting,
) {
  const { now: deletedAt, actor: deletedBy } = acting
  const version = await write.deleteKeys({
    keys: keys.map(key => ({ keyHash: key.keyHash, seen: memory.versionOf(key) })),
    audit: keys.map(key => auditKey(acting, 'key.delete', key, null)),
    deletedAt,
    deletedBy,
  })
  const deletedKeys = keys.map(({ keyHash, keyName, alias, teamId, userId, memberId = null }) => {
    return { keyHash, keyName, alias, teamId, userId, memberId, deletedAt, deletedBy }
  })
  return memory.commit(
    version,
    { deletedKeys },
    keys.map(({ keyHash }) => keyHash),
  )
}

/** True if it can be used at `now` (Unix ms), regardless of its team. */
export function isWorking({ blocked, expiresAt }: Key, now: number): boolean {
  return blocked !== true && (expiresAt === null || expiresAt > now)
}
