// Authenticate: identifies the caller by its key. A blocked, expired or foreign credential is refused here, before any body is read.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Directory } from '../../directory/create-directory.ts'
import { describeDamage, hashSecret } from '../../directory/create-secret.ts'
import { isSecretInForce } from '../../directory/key-secrets.ts'
import type { Key, Team } from '../../directory/types.ts'
import { bearerOnly, readKey, refuseKey } from './read-key.ts'

/** A valid key and its team. */
export type Caller = { readonly key: Key; readonly team: Team }

export type AuthenticateDependencies = Pick<Directory, 'findKeyBySecret' | 'findTeam'> & {
  /** Unix ms. */
  readonly clock: () => number
  /** Reads the secret; by default from `Authorization` alone. Throws ApiError. */
  readonly readSecret?: (request: Request) => string
}

/** Throws ApiError `invalid_api_key`, `key_blocked`, `key_expired` or `team_blocked` (all 401; spec 5.1, 5.5). */
export function createAuthenticate(dependencies: AuthenticateDependencies): (request: Request) => Caller {
  const { readSecret = ({ headers }) => readKey(headers, bearerOnly) } = dependencies
  return request => findCallerBySecret(dependencies, readSecret(request))
}

type FindCallerDependencies = Omit<AuthenticateDependencies, 'readSecret'>

/** Throws like `createAuthenticate`. */
export function findCallerBySecret(dependencies: FindCallerDependencies, given: string): Caller {
  const secret = checkForm(given)
  const caller = findCallerByHash(dependencies, hashSecret(secret))
  if (caller === null)
    throw refuseKey(`This gateway key ${describeDamage('sk-', secret) ?? 'does not exist.'}`)
  return caller
}

/** Looks up the digest of a secret that was sent or used to sign in. Null if unknown; throws like `createAuthenticate`. */
export function findCallerByHash(dependencies: FindCallerDependencies, secretHash: string): Caller | null {
  const key = dependencies.findKeyBySecret(secretHash)
  if (key === undefined) return null
  if (!isSecretInForce(key, secretHash, dependencies.clock()))
    throw refuseKey('This gateway key was replaced by a new one. Ask the person who regenerated it.')
  if (key.blocked === true) throw new ApiError('key_blocked')
  if (key.expiresAt !== null && key.expiresAt <= dependencies.clock()) throw new ApiError('key_expired')
  const team = dependencies.findTeam(key.teamId)
  if (team === undefined) throw refuseKey('The team of this key no longer exists.')
  if (team.blocked === true) throw new ApiError('team_blocked')
  return { key, team }
}

function checkForm(secret: string): string {
  if (secret.startsWith('aitc_')) {
    throw refuseKey(
      'This is a log token, which only works on the logbook. The gateway needs a key that starts with sk-.',
    )
  }
  if (!secret.startsWith('sk-')) throw refuseKey('A gateway key starts with sk-. Ask the organisers for one.')
  return secret
}
