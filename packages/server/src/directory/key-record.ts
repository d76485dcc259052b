// The key record as clients see it (spec 2.1): every field present, string fields never null, money in USD.
import type { KeyInfo, KeyRecord } from '@fairgate/contracts/info/key-record.ts'
import { type NanoDollars, toUsdNumber } from '../ledger/money.ts'
import { isoTime } from './iso-time.ts'
import type { Key } from './types.ts'

export type KeyFigures = {
  /** Of the key's current period. */
  readonly spend: NanoDollars
  /** Canonical model id → USD. */
  readonly modelSpend: Readonly<Record<string, number>>
  /** Unix ms; null when the period never ends. */
  readonly budgetResetAt: number | null
}

/** What an organiser sets, and what changes only with that. */
export type KeySettings = Omit<KeyRecord, 'spend' | 'model_spend' | 'budget_reset_at'>

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
    rotation_count: 0,
    auto_rotate: false,
    rotation_interval: null,
    last_rotation_at: null,
    key_rotation_at: null,
    gateway_budget_table: null,
    gateway_organization_table: null,
    object_permission: null,
  }
}
