// Adds, changes and removes team members: one audited write each, which applies at once.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type {
  NewPersonBody,
  RemovePersonQuery,
  UpdatePersonBody,
} from '@fairgate/contracts/management/people.ts'
import { auditKey, auditLogToken, auditMember } from './audit.ts'
import type { CommandDependencies } from './commands.ts'
import { nameKeyOf, toMemberRow } from './directory-rows.ts'
import { isWorking } from './key-commands.ts'
import { type ActionResult, carryOut, type Plan, planChange } from './planned-action.ts'
import { requireMember, requireTeam } from './refusals.ts'
import type { Key, LogToken, Member } from './types.ts'

/** `actor` made the change, for the audit. Changes throw ApiError `conflict` (409) if other writers kept winning. */
export function createMemberCommands({ memory, write, run, clock, newId }: CommandDependencies) {
  const refuseTaken = (member: Member): void => {
    const others = memory.membersOfTeam(member.teamId).filter(other => other.memberId !== member.memberId)
    if (others.some(({ name }) => nameKeyOf(name) === nameKeyOf(member.name)))
      throw new ApiError('conflict', {
        param: 'name',
        message: `The team "${member.teamId}" already has a member "${member.name}".`,
      })
    if (member.email !== null && others.some(({ email }) => email === member.email))
      throw new ApiError('conflict', {
        param: 'email',
        message: `The team "${member.teamId}" already has a member with this address.`,
      })
  }

  return {
    /** Throws ApiError `team_not_found`, and `conflict` (409) for a name or an address that another member of the team has. */
    createMember: ({ reason, ...body }: NewPersonBody, actor: string): Promise<ActionResult<Member>> =>
      carryOut({ run, clock }, body, {
        plan: now => {
          const { team_id: teamId, name, email } = body
          requireTeam(memory, teamId)
          const given = { memberId: `mb_${newId()}`, teamId, name, email: email ?? null }
          const member = buildNewMember({ ...given, now, actor })
          refuseTaken(member)
          const changes = [
            ...planChange('member.name', teamId, null, member.name),
            ...planChange('member.email', teamId, null, member.email),
          ]
          const plan: Plan = { changes }
          return { plan, member }
        },
        make: async ({ member }, now) => {
          const audit = auditMember({ now, actor, reason }, 'member.add', null, member)
          const version = await write.insertMember({ member: toMemberRow(member), audit })
          return memory.commit(version, { members: [member] }, member)
        },
      }),
    /** Throws ApiError `member_not_found`, and `conflict` (409) as `createMember` does. */
    updateMember: (memberId: string, body: UpdatePersonBody, actor: string): Promise<Member> =>
      run(async () => {
        const before = requireMember(memory, memberId)
        const now = clock()
        const after: Member = {
          ...before,
          name: body.name?.trim() ?? before.name,
          email: body.email === undefined ? before.email : body.email,
          claimedAt: body.free_seat === true ? null : before.claimedAt,
          updatedAt: now,
          updatedBy: actor,
        }
        refuseTaken(after)
        const audit = auditMember({ now, actor, reason: body.reason }, 'member.update', before, after)
        const seen = memory.versionOf(before)
        const version = await write.updateMember({ member: toMemberRow(after), seen, audit })
        return memory.commit(version, { members: [after] }, after)
      }),
    /**
     * Throws ApiError `member_not_found`, and `conflict` (409) for a member with working keys or tokens if `keys` does not say what to do
     * with them. The name stays, for reports; the address does not.
     */
    removeMember: (
      memberId: string,
      query: RemovePersonQuery,
      actor: string,
    ): Promise<ActionResult<Member>> => {
      const { keys: fate, reason } = query
      return carryOut({ run, clock }, query, {
        plan: now => {
          const before = requireMember(memory, memberId)
          const owned = findWorking(memory, memberId, now)
          if (fate === undefined) refuseWorking(before, owned)
          const stopped = fate === 'block' ? owned : { keys: [], tokens: [] }
          const plan: Plan = {
            changes: [
              ...planChange('member.removed', memberId, false, true),
              ...planChange('member.email', memberId, before.email, null),
              ...stopped.keys.flatMap(({ keyHash }) => planChange('key.blocked', keyHash, false, true)),
              ...stopped.tokens.flatMap(({ tokenId }) =>
                planChange('log_token.revoked', tokenId, false, true),
              ),
            ],
            basis: [before, ...owned.keys, ...owned.tokens].map(record => memory.versionOf(record)),
          }
          return { plan, before, stopped }
        },
        make: async ({ before, stopped }, now) => {
          const after: Member = { ...before, email: null, removedAt: now, updatedAt: now, updatedBy: actor }
          const keys = stopped.keys.map(key => {
            return { key, blocked: { ...key, blocked: true, updatedAt: now, updatedBy: actor } }
          })
          const tokens = stopped.tokens.map(token => ({ token, revoked: { ...token, revokedAt: now } }))
          const acting = { now, actor, reason }
          const version = await write.removeMember({
            member: toMemberRow(after),
            seen: memory.versionOf(before),
            keys: stopped.keys.map(key => ({ keyHash: key.keyHash, seen: memory.versionOf(key) })),
            tokens: stopped.tokens.map(token => ({
              tokenHash: token.tokenHash,
              seen: memory.versionOf(token),
            })),
            now,
            actor,
            audit: [
              auditMember(acting, 'member.remove', before, after),
              ...keys.map(({ key, blocked }) => auditKey(acting, 'key.block', key, blocked)),
              ...tokens.map(({ token, revoked }) =>
                auditLogToken(acting, 'log_token.revoke', token, revoked),
              ),
            ],
          })
          const changed = {
            members: [after],
            keys: keys.map(({ blocked }) => blocked),
            logTokens: tokens.map(({ revoked }) => revoked),
          }
          return memory.commit(version, changed, after)
        },
      })
    },
  }
}

type NewMember = Pick<Member, 'memberId' | 'teamId' | 'name' | 'email'> & {
  readonly now: number
  readonly actor: string
}

export function buildNewMember({ now, actor, name, ...given }: NewMember): Member {
  return {
    ...given,
    name: name.trim(),
    claimedAt: null,
    removedAt: null,
    createdAt: now,
    updatedAt: now,
    createdBy: actor,
    updatedBy: actor,
  }
}

type Owned = { readonly keys: readonly Key[]; readonly tokens: readonly LogToken[] }

function findWorking(
  { keys, logTokens }: { readonly keys: () => readonly Key[]; readonly logTokens: () => readonly LogToken[] },
  memberId: string,
  now: number,
): Owned {
  return {
    keys: keys().filter(key => key.memberId === memberId && isWorking(key, now)),
    tokens: logTokens().filter(token => token.memberId === memberId && token.revokedAt === null),
  }
}

function refuseWorking({ name }: Member, { keys, tokens }: Owned): void {
  if (keys.length + tokens.length === 0) return
  throw new ApiError('conflict', {
    param: 'keys',
    message: `${name} has working secrets: ${keys.length} keys, ${tokens.length} log tokens. Choose what happens to them: keys=block stops them, keys=keep leaves them to the team.`,
  })
}
