// Refuses management calls if a record that they name does not exist or a value that they send is invalid.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { DirectoryLookups } from './directory-memory.ts'
import type { Key, Member, Team } from './types.ts'

/** Throws ApiError `team_not_found` (404). */
export function requireTeam(lookups: Pick<DirectoryLookups, 'findTeam'>, teamId: string): Team {
  const team = lookups.findTeam(teamId)
  if (team !== undefined) return team
  throw new ApiError('team_not_found', { param: 'team_id', message: `There is no team "${teamId}".` })
}

/** Finds a current member. Throws ApiError `member_not_found` (404). */
export function requireMember(lookups: Pick<DirectoryLookups, 'findMember'>, memberId: string): Member {
  const member = lookups.findMember(memberId)
  if (member !== undefined && member.removedAt === null) return member
  throw new ApiError('member_not_found', { param: 'member_id' })
}

/** Checks the member who will own a key or token of this team. Throws ApiError `invalid_request`. */
export function checkOwner(
  lookups: Pick<DirectoryLookups, 'findMember'>,
  teamId: string,
  memberId: string | null | undefined,
): void {
  if (memberId === undefined || memberId === null) return
  const member = lookups.findMember(memberId)
  if (member?.teamId !== teamId || member.removedAt !== null)
    throw refuseValue('member_id', `the team "${teamId}" has no such member.`)
}

/** The member that owns this key. Throws ApiError `route_not_allowed` for a key of the whole team. */
export function requireOwner(lookups: Pick<DirectoryLookups, 'findMember'>, key: Key): Member {
  const member = lookups.findMember(key.memberId ?? '')
  if (member !== undefined && member.removedAt === null && member.teamId === key.teamId) return member
  throw new ApiError('route_not_allowed', {
    message: 'This key belongs to the whole team. Only a member can do this, using their own key.',
  })
}

/** ApiError `conflict` (409) for an `adjustment_id` that was used before; `teamId`: set if the request has more than one team. */
export function refuseKnownAdjustment(teamId: string | null = null): ApiError {
  const whose = teamId === null ? '' : `Team "${teamId}": `
  return new ApiError('conflict', {
    param: 'adjustment_id',
    message: `${whose}This adjustment_id was used for an earlier correction. Nothing was written.`,
  })
}

/** ApiError `invalid_request` that names the member at fault. */
export function refuseValue(param: string, message: string): ApiError {
  return invalidRequest(param, `Invalid value for '${param}': ${message}`)
}

/** Runs one of the ledger's parsers, and turns its RangeError into ApiError `invalid_request`. */
export function parseMember<Value>(param: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (cause) {
    if (cause instanceof RangeError) throw refuseValue(param, cause.message)
    throw cause
  }
}
