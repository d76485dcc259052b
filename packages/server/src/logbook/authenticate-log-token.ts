// Authenticates the team that writes or reads by its log token (spec 5.4). A gateway key gets an error that says where it belongs (spec
// 5.5).
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { describeDamage, hashSecret, isSameHash } from '../directory/create-secret.ts'
import type { DirectoryLookups } from '../directory/directory-memory.ts'
import { readBearer } from '../http/read-bearer.ts'

/** Names the team of a log token, so that a client can notice when it uses the token of another team. */
export const teamHeader = 'x-gateway-team'

export type LogTokenCaller = { readonly teamId: string; readonly tokenId: string }

/** Throws ApiError `unauthorized` (401; spec 7). A locked board does not matter here. */
export function createLogTokenAuthenticator({
  findLogToken,
}: Pick<DirectoryLookups, 'findLogToken'>): (request: Request) => LogTokenCaller {
  return request => {
    const secret = readToken(request.headers)
    const tokenHash = hashSecret(secret)
    const token = findLogToken(tokenHash)
    if (token === undefined || !isSameHash(token.tokenHash, tokenHash)) {
      throw refuse(`This log token ${describeDamage('aitc_', secret) ?? 'does not exist.'}`)
    }
    if (token.revokedAt !== null) {
      throw refuse('This log token was revoked. Ask the organisers for the new one.')
    }
    return { teamId: token.teamId, tokenId: token.tokenId }
  }
}

function readToken(headers: Headers): string {
  const bearer = readBearer(headers)
  if (bearer.kind === 'missing') throw refuse('No log token. Send "Authorization: Bearer aitc_…".')
  if (bearer.kind === 'malformed') {
    throw refuse('Malformed Authorization header. Send "Authorization: Bearer aitc_…".')
  }
  const { secret } = bearer
  if (secret.startsWith('sk-')) {
    throw refuse(
      'This is a gateway key: it only works on the gateway. The logbook needs a token that starts with aitc_.',
    )
  }
  if (!secret.startsWith('aitc_')) {
    throw refuse('A log token starts with aitc_. Ask the organisers for yours.')
  }
  return secret
}

function refuse(message: string): ApiError {
  return new ApiError('unauthorized', { message, headers: { 'www-authenticate': 'Bearer' } })
}
