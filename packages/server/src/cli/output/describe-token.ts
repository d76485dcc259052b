// Log tokens as lines for people. The token itself is shown only when it has just been made.
import type {
  GeneratedLogToken,
  LogTokenList,
  LogTokenRecord,
} from '@fairgate/contracts/management/log-tokens.ts'
import { formatTable } from './format-table.ts'

export function describeTokens({ log_tokens: tokens }: LogTokenList): string {
  if (tokens.length === 0) return 'No log tokens. Make one with "fairgate token generate TEAM".'
  return formatTable(
    ['TOKEN ID', 'NAME', 'TEAM', 'CREATED', 'STATE'],
    tokens.map(token => [
      token.token_id,
      token.token_name,
      token.team_id,
      token.created_at,
      token.revoked_at === null ? 'works' : `revoked ${token.revoked_at}`,
    ]),
  )
}

export function describeGeneratedToken({ token, token_id, team_id }: GeneratedLogToken): string {
  return `Log token of team ${team_id}, shown this once:\n\n  ${token}\n\nToken id: ${token_id}`
}

export function describeRevokedToken({ token_id, team_id }: LogTokenRecord): string {
  return `Log token ${token_id} of team ${team_id} is revoked for good.`
}
