// Teams, keys and log tokens as clients see them (spec 2.1, 2.2): the same on the gateway and on the admin door, money in USD.

import type { KeyInfo, KeyRecord } from '@fairgate/contracts/info/key-record.ts'
import type { TeamInfo, TeamKey, TeamRecord } from '@fairgate/contracts/info/team-record.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { LogTokenRecord } from '@fairgate/contracts/management/log-tokens.ts'
import type { MemberRecord, Person } from '@fairgate/contracts/management/people.ts'
import { type NanoDollars, toUsdNumber } from '../ledger/money.ts'
import type { Key, LogToken, Member, Team } from './types.ts'

export type TeamFigures = {
  /** In the team's current period. */
  readonly spent: NanoDollars
  /** Held for calls that are running now. */
  readonly held: NanoDollars
  /** The budget that applies now: the phase's or its own, with its grants; null: none. */
  readonly budget: NanoDollars | null
  /** Unix ms; null when the period never ends. */
  readonly budgetResetAt: number | null
}

export type KeyWithSpend = { readonly key: Key; readonly spend: NanoDollars }

/** The values that an organiser sets, and those that change only with them. The audit stores them before and after a change. */
export type TeamSettings = Omit<TeamRecord, 'spend' | 'held' | 'current_budget' | 'budget_reset_at'>

export function buildTeamInfo(
  team: Team,
  figures: TeamFigures & { readonly keys: readonly KeyWithSpend[] },
): TeamInfo {
  return {
    team_id: team.teamId,
    team_info: buildTeamRecord(team, figures),
    keys: figures.keys.map(buildTeamKey),
    team_memberships: [],
  }
}

function buildTeamRecord(team: Team, figures: TeamFigures): TeamRecord {
  return {
    ...buildTeamSettings(team),
    spend: toUsdNumber(figures.spent),
    held: toUsdNumber(figures.held),
    current_budget: figures.budget === null ? null : toUsdNumber(figures.budget),
    budget_reset_at: isoTime(figures.budgetResetAt),
  }
}

export function buildTeamSettings(team: Team): TeamSettings {
  return {
    team_id: team.teamId,
    team_alias: team.alias,
    organization_id: team.informational?.organization_id ?? null,
    admins: [],
    members: [],
    members_with_roles: [...(team.informational?.members_with_roles ?? [])],
    metadata: {
      ...team.metadata,
      model_rpm_limit: Object.fromEntries(team.modelRpmLimit),
      model_tpm_limit: Object.fromEntries(team.modelTpmLimit),
    },
    max_budget: team.maxBudget === null ? null : toUsdNumber(team.maxBudget),
    rpm_limit: team.rpmLimit,
    tpm_limit: team.tpmLimit,
    budget_duration: team.budgetDuration,
    models: [...team.models],
    blocked: team.blocked === true,
    created_at: isoTime(team.createdAt),
    updated_at: isoTime(team.updatedAt),
    created_by: team.createdBy,
    updated_by: team.updatedBy,
    ...ofHidden(team),
  }
}

function ofHidden({ hiddenAt = null }: Team): { readonly hidden_at?: string } {
  return hiddenAt === null ? {} : { hidden_at: isoTime(hiddenAt) }
}

/** One of the team's keys, without its hash, since team members may see it. */
function buildTeamKey({ key, spend }: KeyWithSpend): TeamKey {
  return {
    key_name: key.keyName,
    key_alias: key.alias,
    spend: toUsdNumber(spend),
    blocked: key.blocked,
    created_at: isoTime(key.createdAt),
    expires: isoTime(key.expiresAt),
  }
}

export type KeyFigures = {
  /** In the key's current period. */
  readonly spend: NanoDollars
  /** Canonical model id → USD. */
  readonly modelSpend: Readonly<Record<string, number>>
  /** Unix ms; null when the period never ends. */
  readonly budgetResetAt: number | null
}

/** The same, for a key. */
export type KeySettings = Omit<KeyRecord, 'spend' | 'model_spend' | 'budget_reset_at'>

/** Every field is present, and text fields are never null. */
export function buildKeyRecord(key: Key, figures: KeyFigures): KeyInfo {
  return {
    key: key.keyHash,
    info: {
      ...buildKeySettings(key),
      spend: toUsdNumber(figures.spend),
      budget_reset_at: isoTime(figures.budgetResetAt),
      model_spend: { ...figures.modelSpend },
    },
  }
}

export function buildKeySettings(key: Key): KeySettings {
  const budgets = [...key.modelMaxBudget].map(([model, amount]) => [model, toUsdNumber(amount)])
  return {
    key_name: key.keyName,
    key_alias: key.alias,
    soft_budget_cooldown: false,
    max_budget: key.maxBudget === null ? null : toUsdNumber(key.maxBudget),
    max_parallel_requests: key.maxParallelRequests,
    metadata: { ...key.metadata },
    tpm_limit: key.tpmLimit,
    rpm_limit: key.rpmLimit,
    expires: isoTime(key.expiresAt),
    models: [...key.models],
    aliases: Object.fromEntries(key.aliases),
    config: { ...key.informational?.config },
    user_id: key.userId,
    team_id: key.teamId,
    blocked: key.blocked,
    budget_duration: key.budgetDuration,
    model_max_budget: Object.fromEntries(budgets),
    permissions: { ...key.informational?.permissions },
    allowed_cache_controls: [...(key.informational?.allowed_cache_controls ?? [])],
    allowed_routes: [...key.allowedRoutes],
    budget_id: null,
    organization_id: key.informational?.organization_id ?? null,
    object_permission_id: null,
    created_at: isoTime(key.createdAt),
    updated_at: isoTime(key.updatedAt),
    created_by: key.createdBy,
    updated_by: key.updatedBy,
    rotation_count: key.rotation?.count ?? 0,
    auto_rotate: false,
    rotation_interval: null,
    last_rotation_at: isoTime(key.rotation?.at ?? null),
    key_rotation_at: null,
    gateway_budget_table: null,
    gateway_organization_table: null,
    object_permission: null,
    ...ofMember(key),
  }
}

/** Neither the token nor its hash. */
export function buildLogTokenRecord(token: LogToken): LogTokenRecord {
  return {
    token_id: token.tokenId,
    token_name: token.tokenName,
    team_id: token.teamId,
    revoked_at: isoTime(token.revokedAt),
    created_at: isoTime(token.createdAt),
    created_by: token.createdBy,
    ...ofMember(token),
  }
}

function ofMember({ memberId }: Pick<Key, 'memberId'>): { readonly member_id?: string } {
  return memberId === undefined || memberId === null ? {} : { member_id: memberId }
}

/** A member's settings, for the audit. */
export function buildMemberSettings(member: Member): MemberRecord {
  return {
    member_id: member.memberId,
    team_id: member.teamId,
    name: member.name,
    email: member.email,
    claimed_at: isoTime(member.claimedAt),
    removed_at: isoTime(member.removedAt),
    created_at: isoTime(member.createdAt),
    updated_at: isoTime(member.updatedAt),
    created_by: member.createdBy,
    updated_by: member.updatedBy,
  }
}

/** Includes the member's keys and tokens. */
export function buildPerson(member: Member, keys: readonly Key[], tokens: readonly LogToken[]): Person {
  return {
    ...buildMemberSettings(member),
    keys: keys.map(key => ({
      token: key.keyHash,
      key_name: key.keyName,
      key_alias: key.alias,
      blocked: key.blocked === true,
      expires_at: isoTime(key.expiresAt),
    })),
    log_tokens: tokens.map(token => ({
      token_id: token.tokenId,
      token_name: token.tokenName,
      revoked_at: isoTime(token.revokedAt),
    })),
  }
}
