// Converts teams, members, keys and log tokens between memory and their rows on disk. Nothing else in this folder knows column names.
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { HoldMedium, UnchargedSum } from '../ledger/hold-ratio.ts'
import { nanoDollars } from '../ledger/money.ts'
import type { DeletedKeysTable } from '../store/schema/directory.ts'
import type { UnchargedSumsTable } from '../store/schema/ledger.ts'
import type { KeyRow } from '../store/statements/gateway-keys.ts'
import type { LogTokenRow } from '../store/statements/log-tokens.ts'
import type { MemberRow } from '../store/statements/members.ts'
import type { TeamRow } from '../store/statements/teams.ts'
import type { DeletedKey, JsonObject, Key, LogToken, Member, Owner, Team } from './types.ts'

type OwnerColumns = Omit<TeamRow, 'team_id' | 'alias' | 'granted_nano' | 'granted_period' | 'hidden_at'>

const textByName = Type.Record(Type.String(), Type.String())
const figureByModel = Type.Record(Type.String(), Type.Integer({ minimum: 0 }))

export function toTeamRow(team: Team): TeamRow {
  return {
    team_id: team.teamId,
    alias: team.alias,
    ...toOwnerColumns(team),
    granted_nano: team.granted?.amount ?? 0,
    granted_period: team.granted?.periodStart ?? null,
    hidden_at: team.hiddenAt ?? null,
  }
}

export function fromTeamRow(row: TeamRow): Team {
  const { granted_nano, granted_period, hidden_at: hiddenAt } = row
  const team = { teamId: row.team_id, alias: row.alias, ...fromOwnerColumns(row), hiddenAt }
  if (granted_period === null) return team
  return { ...team, granted: { amount: nanoDollars(granted_nano), periodStart: granted_period } }
}

export function toKeyRow(key: Key): KeyRow {
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
    rotation: key.rotation === null ? null : JSON.stringify(key.rotation),
    member_id: key.memberId ?? null,
  }
}

export function fromKeyRow(row: KeyRow): Key {
  const budgets = Object.entries(readJsonColumn('model_max_budget', figureByModel, row.model_max_budget))
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
    rotation: row.rotation === null ? null : readJsonColumn('rotation', rotationSchema, row.rotation),
    memberId: row.member_id,
  }
}

export function fromDeletedKeyRow(row: Omit<DeletedKeysTable, 'version'>): DeletedKey {
  return {
    keyHash: row.key_hash,
    keyName: row.key_name,
    alias: row.alias,
    teamId: row.team_id,
    userId: row.user_id,
    memberId: row.member_id,
    deletedAt: row.deleted_at,
    deletedBy: row.deleted_by,
  }
}

export function toLogTokenRow(token: LogToken): LogTokenRow {
  return {
    token_hash: token.tokenHash,
    token_id: token.tokenId,
    token_name: token.tokenName,
    team_id: token.teamId,
    revoked_at: token.revokedAt,
    created_at: token.createdAt,
    created_by: token.createdBy,
    member_id: token.memberId ?? null,
  }
}

export function fromLogTokenRow(row: LogTokenRow): LogToken {
  return {
    tokenHash: row.token_hash,
    tokenId: row.token_id,
    tokenName: row.token_name,
    teamId: row.team_id,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
    createdBy: row.created_by,
    memberId: row.member_id,
  }
}

export function toMemberRow(member: Member): MemberRow {
  return {
    member_id: member.memberId,
    team_id: member.teamId,
    name: member.name,
    name_key: nameKeyOf(member.name),
    email: member.email,
    claimed_at: member.claimedAt,
    removed_at: member.removedAt,
    created_at: member.createdAt,
    updated_at: member.updatedAt,
    created_by: member.createdBy,
    updated_by: member.updatedBy,
  }
}

/** Names are equal regardless of spaces, case and composed characters. */
export function nameKeyOf(name: string): string {
  return name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
}

export function fromMemberRow(row: MemberRow): Member {
  return {
    memberId: row.member_id,
    teamId: row.team_id,
    name: row.name,
    email: row.email,
    claimedAt: row.claimed_at,
    removedAt: row.removed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
    updatedBy: row.updated_by,
  }
}

const rotationSchema = Type.Object({
  count: Type.Integer(),
  at: Type.Integer(),
  secretHash: Type.String(),
  previousHash: Type.String(),
  previousUntil: Type.Integer(),
})
const jsonObject = Type.Record(Type.String(), Type.Unknown())
const metadataSchema = Type.Object({
  model_rpm_limit: Type.Optional(figureByModel),
  model_tpm_limit: Type.Optional(figureByModel),
})
const informationalSchema = Type.Object({
  organization_id: Type.Optional(Type.String()),
  members_with_roles: Type.Optional(Type.Array(Type.Unknown())),
  config: Type.Optional(jsonObject),
  permissions: Type.Optional(jsonObject),
  allowed_cache_controls: Type.Optional(Type.Array(Type.Unknown())),
})

/** Columns that teams and keys share. */
function toOwnerColumns(owner: Owner): OwnerColumns {
  return {
    models: JSON.stringify(owner.models),
    blocked: owner.blocked === null ? null : Number(owner.blocked),
    max_budget_nano: owner.maxBudget,
    budget_duration: owner.budgetDuration,
    budget_anchor: owner.budgetAnchor,
    rpm_limit: owner.rpmLimit,
    tpm_limit: owner.tpmLimit,
    metadata: JSON.stringify(owner.metadata),
    informational: JSON.stringify(owner.informational ?? {}),
    created_at: owner.createdAt,
    updated_at: owner.updatedAt,
    created_by: owner.createdBy,
    updated_by: owner.updatedBy,
  }
}

function fromOwnerColumns(row: OwnerColumns): Owner {
  const metadata = readJsonColumn('metadata', metadataSchema, row.metadata)
  return {
    models: readJsonColumn('models', Type.Array(Type.String()), row.models),
    blocked: row.blocked === null ? null : row.blocked === 1,
    maxBudget: row.max_budget_nano === null ? null : nanoDollars(row.max_budget_nano),
    budgetDuration: row.budget_duration,
    budgetAnchor: row.budget_anchor,
    rpmLimit: row.rpm_limit,
    tpmLimit: row.tpm_limit,
    modelRpmLimit: new Map(Object.entries(metadata.model_rpm_limit ?? {})),
    modelTpmLimit: new Map(Object.entries(metadata.model_tpm_limit ?? {})),
    metadata: metadata satisfies JsonObject,
    informational: readJsonColumn('informational', informationalSchema, row.informational),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
    updatedBy: row.updated_by,
  }
}

/** Checks a JSON column when it is read, so that a damaged row is found at the start. Throws an Error that names the column. */
export function readJsonColumn<Schema extends TSchema>(
  column: string,
  schema: Schema,
  text: string,
): Static<Schema> {
  const value: unknown = JSON.parse(text)
  if (Value.Check(schema, value)) return value
  throw new Error(`The database holds a value in ${column} that Fairgate did not write.`)
}

export function fromUnchargedRow(row: UnchargedSumsTable): UnchargedSum {
  return {
    teamId: row.team_id,
    modelId: row.model_id,
    endpoint: row.endpoint,
    medium: row.medium as HoldMedium,
    uncharged: row.uncharged_nano,
    open: row.open_nano,
    ratio: row.ratio,
    version: row.version,
  }
}
