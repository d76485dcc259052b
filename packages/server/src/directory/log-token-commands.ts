// Creates and revokes log tokens: one audited write each, which applies at once.
import { maxOwnKeys } from '@fairgate/contracts/console/self.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { GenerateLogTokenBody } from '@fairgate/contracts/management/log-tokens.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import { auditLogToken } from './audit.ts'
import type { CommandDependencies } from './commands.ts'
import { createSecret, type Secret } from './create-secret.ts'
import { toLogTokenRow } from './directory-rows.ts'
import { requireLogToken } from './find-named.ts'
import { type ActionResult, carryOut, planChange } from './planned-action.ts'
import { checkOwner, requireOwner, requireTeam } from './refusals.ts'
import type { Key, LogToken } from './types.ts'

/** `actor` made the change, for the audit. Revoking throws ApiError `conflict` (409) if other writers kept winning. */
export function createLogTokenCommands(dependencies: CommandDependencies) {
  const { memory, write, run, clock, randomBytes, newId } = dependencies
  const generate = async ({ team_id: teamId, member_id: memberId }: GenerateLogTokenBody, actor: string) => {
    const now = clock()
    const secret = createSecret('aitc_', randomBytes)
    const owner = { teamId, memberId: memberId ?? null }
    const token = buildLogToken(secret, `lt_${newId()}`, owner, now, actor)
    const audit = auditLogToken({ now, actor }, 'log_token.generate', null, token)
    const version = await write.insertLogToken({ row: toLogTokenRow(token), audit })
    return memory.commit(version, { logTokens: [token] }, { token, secret: secret.secret })
  }
  return {
    /** `secret` is the token itself, which is not stored. Throws ApiError `team_not_found`. */
    generateLogToken: (body: GenerateLogTokenBody, actor: string) =>
      run(() => {
        requireTeam(memory, body.team_id)
        checkOwner(memory, body.team_id, body.member_id)
        return generate(body, actor)
      }),
    /**
     * For the recorder of the member who owns the key `by`. Throws ApiError `route_not_allowed` for a key of the whole team or of a member
     * who did not join with a code, and `conflict` for a member with enough tokens.
     */
    makeOwnLogToken: (by: Key) =>
      run(() => {
        const { memberId, teamId, claimedAt } = requireOwner(memory, by)
        // Members who joined with a code could have had a log token then. A log token also opens the team's log on its page.
        if (claimedAt === null)
          throw new ApiError('route_not_allowed', {
            message: "Only members who joined with their team's code can do this. Ask the organisers.",
          })
        const working = memory
          .logTokens()
          .filter(token => token.memberId === memberId && token.revokedAt === null)
        if (working.length >= maxOwnKeys)
          throw new ApiError('conflict', {
            message: `You already have ${working.length} working log tokens. Ask the organisers to revoke one of them.`,
          })
        return generate({ team_id: teamId, member_id: memberId }, `member ${memberId}`)
      }),
    /**
     * Revoking a token again keeps the time of the first revocation. Throws ApiError `log_token_not_found`, `invalid_request`,
     * `preview_outdated`.
     */
    revokeLogToken: (reference: string, action: ActionBody, actor: string): Promise<ActionResult<LogToken>> =>
      carryOut({ run, clock }, action, {
        plan: () => {
          const before = requireLogToken(memory, reference)
          const changes = planChange('log_token.revoked', before.tokenId, before.revokedAt !== null, true)
          return { plan: { changes, basis: [memory.versionOf(before)] }, before }
        },
        make: async ({ before }, now) => {
          if (before.revokedAt !== null) return { version: memory.version(), result: before }
          const after: LogToken = { ...before, revokedAt: now }
          const acting = { now, actor, reason: action.reason }
          const version = await write.revokeLogToken({
            row: { token_hash: before.tokenHash, revoked_at: now },
            seen: memory.versionOf(before),
            audit: auditLogToken(acting, 'log_token.revoke', before, after),
          })
          return memory.commit(version, { logTokens: [after] }, after)
        },
      }),
  }
}

export function buildLogToken(
  { hash: tokenHash, name: tokenName }: Secret,
  tokenId: string,
  { teamId, memberId = null }: Pick<LogToken, 'teamId' | 'memberId'>,
  now: number,
  actor: string,
): LogToken {
  const made = { createdAt: now, createdBy: actor, revokedAt: null }
  return { tokenHash, tokenId, tokenName, teamId, memberId, ...made }
}
