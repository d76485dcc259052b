// Teams, keys and log tokens in memory ⇄ their rows on disk.
import Type from 'typebox'
import { nanoDollars } from '../ledger/money.ts'
import type { GatewayKeysTable, LogTokensTable, TeamsTable } from '../store/schema/directory.ts'
import { readJsonColumn } from './json-column.ts'
import { fromOwnerColumns, toOwnerColumns } from './owner-row.ts'
import type { Key, LogToken, Team } from './types.ts'

const textByName = Type.Record(Type.String(), Type.String())
const amountByModel = Type.Record(Type.String(), Type.Integer({ minimum: 0 }))

export function toTeamRow(team: Team): TeamsTable {
  return { team_id: team.teamId, alias: team.alias, ...toOwnerColumns(team) }
}

export function fromTeamRow(row: TeamsTable): Team {
  return { teamId: row.team_id, alias: row.alias, ...fromOwnerColumns(row) }
}

export function toKeyRow(key: Key): GatewayKeysTable {
  return {
    ...toOwnerColumns(key),
    key_hash: key.keyHash,
    key_name: key.keyName,
    alias: key.alias,
    team_id: key.teamId,
    user_id: key.userId,
    aliases: JSON.stringify(Object.fromEntries(key.aliases)),
    model_max_budget: JSON.stringify(Object.fromEntries(key.modelMaxBudget)),
    max_parallel_requests: key.maxParallelRequests,
    expires_at: key.expiresAt,
    allowed_routes: JSON.stringify(key.allowedRoutes),
  }
}

export function fromKeyRow(row: GatewayKeysTable): Key {
  const budgets = Object.entries(readJsonColumn('model_max_budget', amountByModel, row.model_max_budget))
  return {
    ...fromOwnerColumns(row),
    keyHash: row.key_hash,
    keyName: row.key_name,
    alias: row.alias,
    teamId: row.team_id,
    userId: row.user_id,
    aliases: new Map(Object.entries(readJsonColumn('aliases', textByName, row.aliases))),
    modelMaxBudget: new Map(budgets.map(([model, amount]) => [model, nanoDollars(amount)])),
    maxParallelRequests: row.max_parallel_requests,
    expiresAt: row.expires_at,
    allowedRoutes: readJsonColumn('allowed_routes', Type.Array(Type.String()), row.allowed_routes),
  }
}

export function toLogTokenRow(token: LogToken): LogTokensTable {
  return {
    token_hash: token.tokenHash,
    token_id: token.tokenId,
    token_name: token.tokenName,
    team_id: token.teamId,
    revoked_at: token.revokedAt,
    created_at: token.createdAt,
    created_by: token.createdBy,
  }
}

export function fromLogTokenRow(row: LogTokensTable): LogToken {
  return {
    tokenHash: row.token_hash,
    tokenId: row.token_id,
    tokenName: row.token_name,
    teamId: row.team_id,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }
}
