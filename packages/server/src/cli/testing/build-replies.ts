// Admin door replies for tests: complete records with the relevant members set.
import type { KeyRecord } from '@fairgate/contracts/info/key-record.ts'
import type { TeamRecord } from '@fairgate/contracts/info/team-record.ts'
import type { AuditRow } from '@fairgate/contracts/management/audit.ts'
import type { BoardRecord } from '@fairgate/contracts/management/boards.ts'
import type { KeyRow } from '@fairgate/contracts/management/key-bodies.ts'
import type { LoggedEntry } from '@fairgate/contracts/management/log-entries.ts'
import type { LogTokenRecord } from '@fairgate/contracts/management/log-tokens.ts'
import type { LogVerification } from '@fairgate/contracts/management/log-verification.ts'

const birth = {
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-02T00:00:00.000Z',
  created_by: 'admin',
  updated_by: 'admin',
}

export const testHash = 'ab'.repeat(32)

export function buildTeamRecord(changes: Partial<TeamRecord> = {}): TeamRecord {
  return {
    team_id: 'team-01',
    team_alias: 'Blue team',
    organization_id: null,
    admins: [],
    members: [],
    members_with_roles: [],
    metadata: { model_rpm_limit: {}, model_tpm_limit: {} },
    spend: 3.5,
    held: 0.25,
    max_budget: 50,
    current_budget: changes.max_budget === undefined ? 50 : changes.max_budget,
    rpm_limit: 60,
    tpm_limit: null,
    budget_duration: '1d',
    budget_reset_at: '2026-11-03T00:00:00.000Z',
    models: [],
    blocked: false,
    ...birth,
    ...changes,
  }
}

export function buildKeyRecord(changes: Partial<KeyRecord> = {}): KeyRecord {
  return {
    key_name: 'sk-...wxyz',
    key_alias: 'laptop',
    soft_budget_cooldown: false,
    spend: 0.0000005,
    max_budget: null,
    max_parallel_requests: 4,
    metadata: {},
    tpm_limit: null,
    rpm_limit: null,
    expires: null,
    models: [],
    aliases: {},
    config: {},
    user_id: '',
    team_id: 'team-01',
    blocked: null,
    budget_duration: null,
    budget_reset_at: null,
    model_spend: {},
    model_max_budget: {},
    permissions: {},
    allowed_cache_controls: [],
    allowed_routes: [],
    budget_id: null,
    organization_id: null,
    object_permission_id: null,
    ...birth,
    rotation_count: 0,
    auto_rotate: false,
    rotation_interval: null,
    last_rotation_at: null,
    key_rotation_at: null,
    gateway_budget_table: null,
    gateway_organization_table: null,
    object_permission: null,
    ...changes,
  }
}

export function buildKeyRow(hash: string = testHash, changes: Partial<KeyRecord> = {}): KeyRow {
  return { token: hash, token_id: hash, ...buildKeyRecord(changes) }
}

export function buildBoard(changes: Partial<BoardRecord> = {}): BoardRecord {
  return {
    team_id: 'team-01',
    locked: false,
    lock_at: null,
    head: { seq: 7, chain: 'c0ffee00'.repeat(8) },
    updated_at: '2026-11-02T00:00:00.000Z',
    ...changes,
  }
}

export function buildToken(changes: Partial<LogTokenRecord> = {}): LogTokenRecord {
  return {
    token_id: 'lt_1',
    token_name: 'aitc_...wxyz',
    team_id: 'team-01',
    revoked_at: null,
    created_at: '2026-11-01T00:00:00.000Z',
    created_by: 'admin',
    ...changes,
  }
}

export function buildLoggedEntry(members: object = {}, seq = 1): LoggedEntry {
  return {
    team_id: 'team-01',
    seq,
    id: testHash,
    ts: '2026-11-21T01:00:00.000000Z',
    received_at: '2026-11-21T01:00:01.000000Z',
    chain: 'c0ffee00'.repeat(8),
    token_id: 'lt_1',
    client_address: '192.0.2.7',
    entry: {
      ts: '2026-11-21T10:00:00+09:00',
      tool: 'codex',
      event: 'UserPromptSubmit',
      session_id: 'session-of-the-test',
      ...members,
    },
  }
}

export function buildIntactCheck(team: string): LogVerification {
  return {
    team_id: team,
    ok: true,
    entries: 7,
    head: { seq: 7, chain: 'c0ffee00'.repeat(8) },
    recorders: [],
    problem: null,
  }
}

export function buildBrokenCheck(team: string): LogVerification {
  const problem = { seq: 5, kind: 'altered' }
  return { team_id: team, ok: false, entries: 4, head: null, recorders: [], problem }
}

export function buildAuditRow(id: number, changes: Partial<AuditRow> = {}): AuditRow {
  return {
    id,
    at: '2026-11-02T00:00:00.000Z',
    actor: 'admin',
    action: 'team.update',
    team_id: 'team-01',
    target: 'team-01',
    before: { rpm_limit: 60, tpm_limit: 5 },
    after: { rpm_limit: null, tpm_limit: 5 },
    ...changes,
  }
}
