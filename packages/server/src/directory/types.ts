// Teams, members, keys and log tokens as the server holds them in memory: money in nano-dollars, times in Unix milliseconds.
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

export type Team = Owner & {
  readonly teamId: string
  readonly alias: string
  /** On top of its budget, in the period that starts at `periodStart` (Unix ms) alone; null or absent: nothing. */
  readonly granted?: { readonly amount: NanoDollars; readonly periodStart: number } | null
}

export type Key = Owner & {
  /** Lower-case hex SHA-256 of the first secret: the key's identity everywhere. */
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
  /** Null while the secret that the key was made with is in force. */
  readonly rotation: KeyRotation | null
  /** Absent or null: it belongs to the whole team. */
  readonly memberId?: string | null
}

/** The secret that took the place of another. The hash of the first one stays the identity of the key. */
export type KeyRotation = {
  readonly count: number
  /** Unix ms of the last one. */
  readonly at: number
  /** Of the secret in force: lower-case hex SHA-256. */
  readonly secretHash: string
  readonly previousHash: string
  /** Unix ms: until then the secret before works too. */
  readonly previousUntil: number
}

/** What a key was called, for reports of what it spent. */
export type DeletedKey = Pick<Key, 'keyHash' | 'keyName' | 'alias' | 'teamId' | 'userId' | 'memberId'> & {
  readonly deletedAt: number
  readonly deletedBy: string
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
  /** Absent or null: it belongs to the whole team. */
  readonly memberId?: string | null
}

/** A person of a team, who may own keys and log tokens. */
export type Member = {
  /** `mb_…` */
  readonly memberId: string
  readonly teamId: string
  readonly name: string
  readonly email: string | null
  /** When a claim took this seat; null while it is free. */
  readonly claimedAt: number | null
  /** A removed member is kept, so that reports still have the name. */
  readonly removedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly createdBy: string
  readonly updatedBy: string
}
