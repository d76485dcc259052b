// The team record as clients see it (spec 2.2), the same on the gateway and on the admin door. Money in USD.
import type { TeamInfo, TeamKey, TeamRecord } from '@fairgate/contracts/info/team-record.ts'
import { type NanoDollars, toUsdNumber } from '../ledger/money.ts'
import { isoTime } from './iso-time.ts'
import type { Key, Team } from './types.ts'

export type TeamFigures = {
  /** Of the team's current period. */
  readonly spent: NanoDollars
  /** Set aside for calls that run now. */
  readonly held: NanoDollars
  /** Unix ms; null when the period never ends. */
  readonly budgetResetAt: number | null
}

export type KeyWithSpend = { readonly key: Key; readonly spend: NanoDollars }

/** What an organiser sets, and what changes only with that. */
export type TeamSettings = Omit<TeamRecord, 'spend' | 'held' | 'budget_reset_at'>

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
  }
}

/** A row of the team's keys: neither the key nor its hash, so that team members can see it. */
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
