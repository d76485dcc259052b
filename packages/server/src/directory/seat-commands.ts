// Assigns a member a seat: the person, a key and a log token in one audited write, which applies at once.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { TakeSeatInput } from '../store/statements/claims.ts'
import { buildNewKey } from './apply-fields.ts'
import { auditKey, auditLogToken, auditMember } from './audit.ts'
import type { CommandDependencies } from './commands.ts'
import type { Secret } from './create-secret.ts'
import { nameKeyOf, toKeyRow, toLogTokenRow, toMemberRow } from './directory-rows.ts'
import { buildLogToken } from './log-token-commands.ts'
import { buildNewMember } from './member-commands.ts'
import type { Key, Member } from './types.ts'

export type Seat = {
  readonly claimId: string
  readonly teamId: string
  /** Null for a person who is not on the list. */
  readonly memberId: string | null
  /** That person's name. */
  readonly name: string
  readonly ticket: TakeSeatInput['ticket']
  readonly key: Secret
  /** Null if only a key is needed. */
  readonly logToken: Secret | null
}

export function createSeatCommands(dependencies: CommandDependencies) {
  const { memory, write, run, clock, newId, resolveModel, defaultMaxParallelRequests } = dependencies

  const findMember = (seat: Seat, now: number, actor: string): Member => {
    const { teamId, memberId, name } = seat
    if (memberId !== null) {
      const member = memory.findMember(memberId)
      if (member?.teamId !== teamId || member.removedAt !== null)
        throw new ApiError('join_refused', {
          message: 'The organisers have removed this name from the list.',
        })
      if (member.claimedAt !== null) throw refuseTaken(member)
      return member
    }
    const same = memory.membersOfTeam(teamId).find(member => nameKeyOf(member.name) === nameKeyOf(name))
    if (same?.claimedAt === null)
      throw new ApiError('conflict', {
        message: `${same.name} is on the team's list. Choose that name.`,
      })
    if (same !== undefined) throw refuseTaken(same)
    return buildNewMember({ memberId: `mb_${newId()}`, teamId, name, email: null, now, actor })
  }

  return {
    /**
     * `check` rereads claim and ticket and throws ApiError if they do not allow it. Throws `join_refused` for a blocked team, and
     * `conflict` for a seat that is taken.
     */
    takeSeat: (
      seat: Seat,
      check: () => Promise<void>,
    ): Promise<{ readonly member: Member; readonly key: Key }> =>
      run(async () => {
        await check()
        const { teamId } = seat
        const now = clock()
        const actor = `claim ${seat.claimId}`
        const before = findMember(seat, now, actor)
        const isNew = seat.memberId === null
        const member: Member = { ...before, claimedAt: now, updatedAt: now, updatedBy: actor }
        const owner = { member_id: member.memberId }
        const key = buildNewKey(
          { keyHash: seat.key.hash, keyName: seat.key.name, teamId },
          { ...owner, key_alias: member.name },
          { resolveModel, now, actor, defaultMaxParallelRequests },
        )
        const logTokens =
          seat.logToken === null ? [] : [buildLogToken(seat.logToken, `lt_${newId()}`, member, now, actor)]
        const [logToken = null] = logTokens
        const acting = { now, actor }
        const version = await write.takeSeat({
          claimId: seat.claimId,
          ticket: seat.ticket,
          member: toMemberRow(member),
          seen: isNew ? null : memory.versionOf(before),
          key: toKeyRow(key),
          logToken: logToken === null ? null : toLogTokenRow(logToken),
          now,
          audit: [
            auditMember(acting, 'claim.join', isNew ? null : before, member),
            auditKey(acting, 'key.generate', null, key),
            ...logTokens.map(token => auditLogToken(acting, 'log_token.generate', null, token)),
          ],
        })
        return memory.commit(version, { members: [member], keys: [key], logTokens }, { member, key })
      }),
  }
}

function refuseTaken({ name }: Member): ApiError {
  return new ApiError('conflict', {
    message: `${name} has already joined. If that was someone else, or the laptop is lost, ask the organisers to free the seat.`,
  })
}
