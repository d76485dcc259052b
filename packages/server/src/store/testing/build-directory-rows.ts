// Rows of the directory's tables as the statements take them, for tests.
import type { AuditEntry } from '../statements/audit.ts'
import type { KeyRow } from '../statements/gateway-keys.ts'
import type { LogTokenRow } from '../statements/log-tokens.ts'
import type { MemberRow } from '../statements/members.ts'
import type { TeamRow } from '../statements/teams.ts'

const ownerColumns = {
  models: '[]',
  blocked: null,
  max_budget_nano: null,
  budget_duration: null,
  budget_anchor: 1000,
  rpm_limit: null,
  tpm_limit: null,
  metadata: '{}',
  informational: '{}',
  created_at: 1000,
  updated_at: 1000,
  created_by: 'admin',
  updated_by: 'admin',
}

export function buildTeamRow(teamId: string, changes: Partial<TeamRow> = {}): TeamRow {
  return {
    ...ownerColumns,
    team_id: teamId,
    alias: teamId,
    granted_nano: 0,
    granted_period: null,
    hidden_at: null,
    ...changes,
  }
}

export function buildKeyRow(keyHash: string, changes: Partial<KeyRow> = {}): KeyRow {
  return {
    ...ownerColumns,
    key_hash: keyHash,
    key_name: 'sk-...abcd',
    alias: '',
    team_id: 'team-1',
    user_id: '',
    aliases: '{}',
    model_max_budget: '{}',
    max_parallel_requests: 10,
    expires_at: null,
    allowed_routes: '[]',
    rotation: null,
    member_id: null,
    ...changes,
  }
}

/** Its hash is made from its id. */
export function buildLogTokenRow(tokenId: string, changes: Partial<LogTokenRow> = {}): LogTokenRow {
  return {
    token_hash: `hash of ${tokenId}`,
    token_id: tokenId,
    token_name: 'aitc_...abcd',
    team_id: 'team-1',
    revoked_at: null,
    created_at: 1000,
    created_by: 'admin',
    member_id: null,
    ...changes,
  }
}

export function buildMemberRow(memberId: string, changes: Partial<MemberRow> = {}): MemberRow {
  return {
    member_id: memberId,
    team_id: 'team-1',
    name: memberId,
    name_key: memberId,
    email: null,
    claimed_at: null,
    removed_at: null,
    created_at: 1000,
    updated_at: 1000,
    created_by: 'admin',
    updated_by: 'admin',
    ...changes,
  }
}

export function buildAuditEntry(action: string, changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: 1000,
    actor: 'admin',
    action,
    team_id: 'team-1',
    target: 'team-1',
    before: null,
    after: '{}',
    ...changes,
  }
}
