// Lets members create and end their own keys, never with more access than the key that they use for it. Each change is audited in their name.
import { maxOwnKeys } from '@fairgate/contracts/console/self.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { checkText } from './announcements.ts'
import { buildNewKey } from './apply-fields.ts'
import { auditKey } from './audit.ts'
import type { CommandDependencies } from './commands.ts'
import { createSecret } from './create-secret.ts'
import { toKeyRow } from './directory-rows.ts'
import { deleteKeys, isWorking } from './key-commands.ts'
import { requireOwner } from './refusals.ts'
import type { Key, Member } from './types.ts'

export function createOwnKeyCommands(dependencies: CommandDependencies) {
  const { memory, write, run, clock, randomBytes, resolveModel, defaultMaxParallelRequests } = dependencies

  const chooseAlias = (given: string | null, member: Member): string => {
    const taken = new Set(memory.keys().map(({ alias }) => alias))
    if (given !== null) {
      const alias = checkText('key_alias', given)
      if (!taken.has(alias)) return alias
      throw new ApiError('conflict', {
        param: 'key_alias',
        message: 'There is already a key with this name. Choose another name.',
      })
    }
    let number = 2
    while (taken.has(`${member.name} ${number}`)) number += 1
    return `${member.name} ${number}`
  }

  return {
    /**
     * `by`: the key that makes the request. Throws ApiError `route_not_allowed`, `invalid_request`, `team_blocked`, and `conflict` (409)
     * for a member with enough keys, a name that is taken, or limits that a second key would double.
     */
    makeOwnKey: (by: Key, wanted: string | null): Promise<{ readonly key: Key; readonly secret: string }> =>
      run(async () => {
        const template = memory.findKey(by.keyHash) ?? by
        const member = requireOwner(memory, template)
        const { teamId } = member
        if (memory.findTeam(teamId)?.blocked === true) throw new ApiError('team_blocked')
        const now = clock()
        const working = memory
          .keysOfTeam(teamId)
          .filter(key => key.memberId === member.memberId && isWorking(key, now))
        if (working.length >= maxOwnKeys)
          throw new ApiError('conflict', {
            message: `You already have ${working.length} working keys. End one of them first.`,
          })
        if (hasOwnLimits(template))
          throw new ApiError('conflict', {
            message:
              'This key has its own budget or limits, which a second key would double. Ask the organisers for another key.',
          })
        const actor = `member ${member.memberId}`
        const { secret, hash: keyHash, name: keyName } = createSecret('sk-', randomBytes)
        const fields = { member_id: member.memberId, key_alias: chooseAlias(wanted, member) }
        const change = { resolveModel, now, actor, defaultMaxParallelRequests }
        const { models, aliases, maxParallelRequests, expiresAt, allowedRoutes } = template
        const key: Key = {
          ...buildNewKey({ keyHash, keyName, teamId }, fields, change),
          ...{ models, aliases, maxParallelRequests, expiresAt, allowedRoutes },
        }
        const version = await write.insertOwnKey({
          key: toKeyRow(key),
          memberId: member.memberId,
          maxWorking: maxOwnKeys,
          now,
          audit: auditKey({ now, actor }, 'key.generate', null, key),
        })
        // If another process has created one meanwhile, the next try counts it and knows its name.
        return memory.commit(version, { keys: [key] }, { key, secret })
      }),
    /**
     * Throws ApiError `route_not_allowed`, `key_not_found` for another member's key, and `conflict` (409) for the key that makes the
     * request and for one that organisers have blocked.
     */
    endOwnKey: (by: Key, keyId: string): Promise<string> =>
      run(async () => {
        const member = requireOwner(memory, by)
        const key = memory.findKey(keyId)
        if (key === undefined || key.teamId !== member.teamId || key.memberId !== member.memberId)
          throw new ApiError('key_not_found', { param: 'key_id' })
        if (key.keyHash === by.keyHash)
          throw new ApiError('conflict', {
            message: 'You are signed in with this key. To end it, sign in with another one.',
          })
        if (key.blocked === true)
          throw new ApiError('conflict', {
            message: 'The organisers have blocked this key. Ask them to unblock it.',
          })
        const acting = { now: clock(), actor: `member ${member.memberId}` }
        const deleted = await deleteKeys(dependencies, [key], acting)
        return deleted === null ? null : { ...deleted, result: key.keyHash }
      }),
  }
}

/** Limits that count for each key separately. */
function hasOwnLimits(key: Key): boolean {
  const { maxBudget, rpmLimit, tpmLimit, modelRpmLimit, modelTpmLimit, modelMaxBudget } = key
  const isByModel = modelRpmLimit.size + modelTpmLimit.size + modelMaxBudget.size > 0
  return isByModel || maxBudget !== null || rpmLimit !== null || tpmLimit !== null
}
