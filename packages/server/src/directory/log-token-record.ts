// The log token's record as organisers see it: never the token, nor its hash.
import type { LogTokenRecord } from '@fairgate/contracts/management/log-tokens.ts'
import { isoTime } from './iso-time.ts'
import type { LogToken } from './types.ts'

export function buildLogTokenRecord(token: LogToken): LogTokenRecord {
  return {
    token_id: token.tokenId,
    token_name: token.tokenName,
    team_id: token.teamId,
    revoked_at: isoTime(token.revokedAt),
    created_at: isoTime(token.createdAt),
    created_by: token.createdBy,
  }
}
