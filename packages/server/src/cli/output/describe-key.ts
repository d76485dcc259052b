// A key, and the list of keys, as lines for people. The key itself is shown only when it has just been made.
import type { KeyRecord } from '@fairgate/contracts/info/key-record.ts'
import type { GeneratedKey, KeyRow } from '@fairgate/contracts/management/key-bodies.ts'
import { describeState } from './describe-team.ts'
import { formatFields, formatTable } from './format-table.ts'
import { absent, formatLimit, formatList, formatPeriod, formatSpend, formatUsd } from './format-values.ts'

export function describeKeys(keys: readonly KeyRow[]): string {
  if (keys.length === 0) return 'No keys. Make one with "fairgate key generate TEAM".'
  return formatTable(
    ['HASH', 'NAME', 'ALIAS', 'TEAM', 'SPENT', 'BUDGET', 'EXPIRES', 'STATE'],
    keys.map(key => [
      key.token,
      key.key_name,
      key.key_alias,
      key.team_id,
      formatUsd(key.spend),
      key.max_budget === null ? absent : formatUsd(key.max_budget),
      key.expires ?? 'never',
      describeState(key.blocked),
    ]),
  )
}

export function describeGeneratedKey(key: GeneratedKey): string {
  return `Key of team ${key.team_id}, shown this once:\n\n  ${key.key}\n\n${describeKey(key.token, key)}`
}

export function describeKey(hash: string, key: KeyRecord): string {
  return formatFields([
    ['hash', hash],
    ['name', key.key_name],
    ['alias', key.key_alias === '' ? absent : key.key_alias],
    ['team', key.team_id],
    ['state', describeState(key.blocked)],
    ['spent', formatSpend(key.spend, key.max_budget)],
    ['period', formatPeriod(key.budget_duration, key.budget_reset_at)],
    ['rpm', formatLimit(key.rpm_limit)],
    ['tpm', formatLimit(key.tpm_limit)],
    ...describeModelLimits('rpm', key.metadata.model_rpm_limit),
    ...describeModelLimits('tpm', key.metadata.model_tpm_limit),
    ['parallel', String(key.max_parallel_requests)],
    ['models', formatList(key.models, 'those of its team')],
    ['expires', key.expires ?? 'never'],
    ['created', `${key.created_at} by ${key.created_by}`],
    ['updated', `${key.updated_at} by ${key.updated_by}`],
  ])
}

/** A key's metadata may hold anything; only limits per model are understood here. */
function describeModelLimits(name: string, limits: unknown): [string, string][] {
  if (typeof limits !== 'object' || limits === null) return []
  return Object.entries(limits).map(([model, limit]) => [`${name} of ${model}`, String(limit)])
}
