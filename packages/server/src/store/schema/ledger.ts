// The ledger's tables: every charge once, running totals per owner, and the streams that are being served.

/** One finished call that cost something or used tokens: append-only. Money in nano-dollars, times in Unix ms. */
export type ChargesTable = {
  call_id: string
  team_id: string
  key_hash: string
  model_id: string
  endpoint: string
  /** JSON: unit → count. */
  units: string
  /** Negative for a refund, whose id is that of the charge and `/refund`. */
  cost_nano: number
  /** `completed`, `client_closed`, `failed`, `interrupted` (found open after a crash), `refunded` (takes a charge back). */
  outcome: string
  /**
   * Why the cost is not plain usage × price, null where it is. The hold was charged: `usage_absent` (nothing was reported),
   * `usage_invalid` (no figures of a use), `usage_above_hold`, `unit_unpriced`, `not_metered` (the call broke in this server
   * after the upstream had answered). `estimated`: a stream ended before its usage was known.
   */
  flag: string | null
  /** JSON: what the upstream said where that was not charged as it stands; null otherwise. */
  reported: string | null
  admitted_at: number
  settled_at: number
  duration_ms: number
}

/** Spend per owner: `team:<id>`, `key:<hash>`, `key_model:<hash>:<model>`. */
export type TotalsTable = {
  owner: string
  team_id: string
  /** Start of the period that `spent_nano` belongs to (Unix ms). */
  period_start: number
  spent_nano: number
  lifetime_nano: number
  /** Grows with every change, so that a stale copy is recognised. */
  version: number
}

/** A stream whose answer has begun and whose final charge is not yet written. */
export type OpenStreamsTable = {
  call_id: string
  team_id: string
  key_hash: string
  model_id: string
  endpoint: string
  team_period: number
  key_period: number
  admitted_at: number
  /** What the call took of the token windows. */
  reserved_tokens: number
  /** JSON and cost of the last reported progress, with its flag: what a crash charges. */
  units: string
  cost_nano: number
  flag: string | null
  reported: string | null
  progress_at: number
  /** JSON: what the record of the call needs besides; null for streams of before. */
  facts: string | null
}

export type LedgerSchema = { charges: ChargesTable; totals: TotalsTable; open_streams: OpenStreamsTable }
