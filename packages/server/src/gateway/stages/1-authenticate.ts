// Stage 1: who is calling? The key decides; a blocked, expired or foreign credential ends here, before any body is read.
import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Key, Team } from '../../directory/types.ts'

/** A key in force and the team it belongs to. */
export type Caller = { readonly key: Key; readonly team: Team }

export type AuthenticateDependencies = {
  readonly findKey: (keyHash: string) => Key | undefined
  readonly findTeam: (teamId: string) => Team | undefined
  /** Unix ms. */
  readonly clock: () => number
}

/** Throws ApiError `invalid_api_key`, `key_blocked`, `key_expired` or `team_blocked` (all 401; spec 5.1, 5.5). */
export function createAuthenticate(dependencies: AuthenticateDependencies): (request: Request) => Caller {
  return request => {
    const secret = readBearer(request.headers.get('authorization'))
    const keyHash = createHash('sha256').update(secret).digest('hex')
    const key = dependencies.findKey(keyHash)
    if (key === undefined || !equalInConstantTime(key.keyHash, keyHash))
      throw new ApiError('invalid_api_key', { message: 'This gateway key does not exist.' })
    if (key.blocked === true) throw new ApiError('key_blocked')
    if (key.expiresAt !== null && key.expiresAt <= dependencies.clock()) throw new ApiError('key_expired')
    const team = dependencies.findTeam(key.teamId)
    if (team === undefined)
      throw new ApiError('invalid_api_key', { message: 'The team of this key does not exist any more.' })
    if (team.blocked === true) throw new ApiError('team_blocked')
    return { key, team }
  }
}

function readBearer(header: string | null): string {
  if (header === null) throw new ApiError('invalid_api_key')
  const match = /^bearer +(\S+)$/i.exec(header.trim())
  const secret = match?.[1]
  if (secret === undefined) {
    throw new ApiError('invalid_api_key', {
      message: 'Malformed Authorization header. Send "Authorization: Bearer sk-…".',
    })
  }
  if (secret.startsWith('aitc_')) {
    throw new ApiError('invalid_api_key', {
      message:
        'This is a log token: it works on the logbook only. The gateway takes a key that starts with sk-.',
    })
  }
  if (!secret.startsWith('sk-')) {
    throw new ApiError('invalid_api_key', {
      message: 'A gateway key starts with sk-. Ask the organisers for one.',
    })
  }
  return secret
}

function equalInConstantTime(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))
}
