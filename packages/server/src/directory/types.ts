// Teams, keys and log tokens as the server holds them in memory: money in nano-dollars, times in Unix milliseconds.
import type { NanoDollars } from '../ledger/money.ts'

export type JsonObject = { readonly [member: string]: unknown }

/** Fields that exist for scripts written for LiteLLM: they are shown, and otherwise not used. */
export type Informational = {
  readonly organization_id?: string
  readonly members_with_roles?: readonly unknown[]
  readonly config?: JsonObject
  readonly permissions?: JsonObject
  readonly allowed_cache_controls?: readonly unknown[]
}

/** Limits that a team or a key may carry; null means no limit at that level. */
export type OwnerLimits = {
  readonly maxBudget: NanoDollars | null
  /** `1d`, `1w`, `1m`, `Nd`, `Nh`, or null for one period without end. */
  readonly budgetDuration: string | null
  /** When the current duration was set (Unix ms): the first period starts here. */
  readonly budgetAnchor: number
  readonly rpmLimit: number | null
  readonly tpmLimit: number | null
  /** Canonical model id → limit. */
  readonly modelRpmLimit: ReadonlyMap<string, number>
  readonly modelTpmLimit: ReadonlyMap<string, number>
}

/** What teams and keys have in common. */
export type Owner = OwnerLimits & {
  /** Empty: a team may call the whole catalog. Empty or `['all-team-models']`: a key may call whatever its team may. */
  readonly models: readonly string[]
  /** null until first set. */
  readonly blocked: boolean | null
  /** As the organiser gave it, including `model_rpm_limit` and `model_tpm_limit`. */
  readonly metadata: JsonObject
  readonly informational?: Informational
  readonly createdAt: number
  readonly updatedAt: number
  readonly createdBy: string
  readonly updatedBy: string
}

export type Team = Owner & { readonly teamId: string; readonly alias: string }

export type Key = Owner & {
  /** Lower-case hex SHA-256 of the secret: the key's identity everywhere. */
  readonly keyHash: string
  /** `sk-...` and the last four characters. */
  readonly keyName: string
  readonly alias: string
  readonly teamId: string
  readonly userId: string
  /** The key's own model aliases: alias → catalog id. */
  readonly aliases: ReadonlyMap<string, string>
  /** Canonical model id → budget within the key's period. */
  readonly modelMaxBudget: ReadonlyMap<string, NanoDollars>
  readonly maxParallelRequests: number
  readonly expiresAt: number | null
  /** Empty: every gateway route. */
  readonly allowedRoutes: readonly string[]
}

export type LogToken = {
  /** Lower-case hex SHA-256 of the secret. */
  readonly tokenHash: string
  /** Public id, `lt_…`, for support and revocation. */
  readonly tokenId: string
  /** `aitc_...` and the last four characters. */
  readonly tokenName: string
  readonly teamId: string
  readonly revokedAt: number | null
  readonly createdAt: number
  readonly createdBy: string
}
