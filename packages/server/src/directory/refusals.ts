// Refuses management calls: what they name must be there, and the values they send must be right.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { toKeyHash } from './create-secret.ts'
import type { DirectoryLookups } from './directory-memory.ts'
import type { Key, LogToken, Team } from './types.ts'

/** Throws ApiError `team_not_found` (404). */
export function requireTeam(lookups: Pick<DirectoryLookups, 'findTeam'>, teamId: string): Team {
  const team = lookups.findTeam(teamId)
  if (team !== undefined) return team
  throw new ApiError('team_not_found', { param: 'team_id', message: `There is no team "${teamId}".` })
}

/** By the key itself or its hash. Throws ApiError `key_not_found` (404), which repeats neither. */
export function requireKey(
  lookups: Pick<DirectoryLookups, 'findKey'>,
  reference: string,
  param = 'key',
): Key {
  const key = lookups.findKey(toKeyHash(reference))
  if (key !== undefined) return key
  throw new ApiError('key_not_found', { param })
}

/** Throws ApiError `log_token_not_found` (404). */
export function requireLogToken(
  lookups: Pick<DirectoryLookups, 'findLogTokenById'>,
  tokenId: string,
): LogToken {
  const token = lookups.findLogTokenById(tokenId)
  if (token !== undefined) return token
  throw new ApiError('log_token_not_found', { param: 'token_id' })
}

/** ApiError `invalid_request` that names the member at fault. */
export function refuseValue(param: string, message: string): ApiError {
  return invalidRequest(param, `Invalid value for '${param}': ${message}`)
}

/** Runs a parser of the ledger, which throws RangeError. Throws ApiError `invalid_request` instead. */
export function parseMember<Value>(param: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (cause) {
    if (cause instanceof RangeError) throw refuseValue(param, cause.message)
    throw cause
  }
}
