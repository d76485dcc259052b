// Teams, members, keys and log tokens in memory: money in nano-dollars, times in Unix milliseconds.
import type { NanoDollars } from '../ledger/money.ts'

export type JsonObject = { readonly [member: string]: unknown }

/** Fields for compatibility with LiteLLM scripts: they are returned but otherwise unused. */
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

/** Fields that teams and keys share. */
export type Owner = OwnerLimits & {
  /** Empty: a team may call the whole catalog. Empty or `['all-team-models']`: a key may call any model that its team may. */
  readonly models: readonly string[]
  /** Null until first set. */
  readonly blocked: boolean | null
  /** As the organiser sent it, including `model_rpm_limit` and `model_tpm_limit`. */
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
  /** Added to its budget, only in the period that starts at `periodStart` (Unix ms); null or absent: nothing. */
  readonly granted?: { readonly amount: NanoDollars; readonly periodStart: number } | null
  /** Unix ms: since when lists leave it out. It stays blocked for as long; unblocking shows it again. Null or absent: shown. */
  readonly hiddenAt?: number | null
}

export function isHidden({ hiddenAt = null }: Pick<Team, 'hiddenAt'>): boolean {
  return hiddenAt !== null
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
  /** Null until the key's first secret is replaced. */
  readonly rotation: KeyRotation | null
  /** Absent or null: it belongs to the whole team. */
  readonly memberId?: string | null
}

/** The secret that replaced another one. The hash of the first secret stays the identity of the key. */
export type KeyRotation = {
  readonly count: number
  /** When it was last replaced (Unix ms). */
  readonly at: number
  /** The current secret's lower-case hex SHA-256. */
  readonly secretHash: string
  readonly previousHash: string
  /** Unix ms: until then the previous secret also works. */
  readonly previousUntil: number
}

/** A key's name, for spend reports. */
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

/** A person in a team, who may own keys and log tokens. */
export type Member = {
  /** `mb_…` */
  readonly memberId: string
  readonly teamId: string
  readonly name: string
  readonly email: string | null
  /** When a claim took this seat; null while it is free. */
  readonly claimedAt: number | null
  /** Removed members are kept so that reports still have their names. */
  readonly removedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly createdBy: string
  readonly updatedBy: string
}
