// The ledger's tables: every charge once, running totals per owner, and the calls that are running.
import type { ColumnType } from 'kysely'

/** One finished call that cost something or used tokens: append-only. Money in nano-dollars, times in Unix ms. */
export type ChargesTable = {
  call_id: string
  team_id: string
  key_hash: string
  model_id: string
  endpoint: string
  /** JSON: unit → count. */
  units: string
  /** Negative for a refund, with the charge's id and `/refund`. */
  cost_nano: number
  /** `completed`, `client_closed`, `failed`, `interrupted` (found open after a crash), `refunded` (takes a charge back). */
  outcome: string
  /**
   * Why the cost is not simply usage × price, null if it is. The hold was charged: `usage_absent` (nothing was reported), `usage_invalid`
   * (no figures of a use), `usage_above_hold`, `unit_unpriced`, `not_metered` (the call broke in this server after the upstream had
   * answered). `estimated`: a stream ended before its usage was known.
   */
  flag: string | null
  /** JSON: the upstream's report if something else was charged; null otherwise. */
  reported: string | null
  admitted_at: number
  settled_at: number
  duration_ms: number
}

/** Spend per owner: `team:<id>`, `key:<hash>`, `key_model:<hash>:<model>`; `event`, without a team, is that of all teams in one period. */
export type TotalsTable = {
  owner: string
  team_id: string
  /** The slot of the process that wrote the row (0 if there is only one): an owner's total is the sum of its rows. */
  slot: number
  /** Start of the period that `spent_nano` belongs to (Unix ms). */
  period_start: number
  spent_nano: number
  lifetime_nano: number
  /** Returned by ended calls from their holds: money in the period `period_start`, and slots over all time. */
  returned_nano: ColumnType<number, number | undefined, number>
  returned_slots: ColumnType<number, number | undefined, number>
  /** Grows with every change, so that a stale copy is recognised. */
  version: number
}

/** A correction of spend, or a grant on top of a budget: append-only. Money in nano-dollars, times in Unix ms. */
export type AdjustmentsTable = {
  team_id: string
  /** Chosen by the client: the same id twice is one adjustment. */
  adjustment_id: string
  /** `grant` raises the team's budget; `refund` gives back part of a call's charge; `adjust` is any other correction of spend. */
  kind: 'grant' | 'refund' | 'adjust'
  /** Set for a refund; null otherwise. */
  call_id: string | null
  /** Null: only the team. */
  key_hash: string | null
  model_id: string | null
  /** More, or (negative) less. */
  amount_nano: number
  /** Starts of the budget periods in which it counts; without a key, that of the key means nothing. */
  team_period: number
  key_period: number
  at: number
  actor: string
  reason: string
  /** Set if the action changed multiple teams; null otherwise. */
  bulk_id: string | null
}

/** A running call, as reported by the process that runs it. If that process dies, the call is recovered from here. */
export type RunningCallsTable = {
  team_id: string
  call_id: string
  process_id: string
  /** `call`, `stream`, `order` (a video), or `info` (takes only a slot). */
  kind: string
  key_hash: string
  /** Null for a call for information. */
  model_id: string | null
  endpoint: string | null
  admitted_at: number
  /** Starts of the budget periods in which the call was admitted (Unix ms). */
  team_period: number
  key_period: number
  /** The amount held for it. */
  amount_nano: number
  /** The part held of the event's cap: zero if there was no cap when it was admitted. */
  event_nano: number
  /** The tokens that it took from the token windows. */
  reserved_tokens: number
  /** JSON: unit → count. Only streams have this and the following columns: their last progress, which is charged after a crash. */
  units: string | null
  cost_nano: number
  flag: string | null
  reported: string | null
  progress_at: number | null
  /** JSON: other facts that the record of the call needs. */
  facts: string | null
}

/** A process that uses the database. Times are the database's (Unix ms). */
export type ProcessesTable = {
  process_id: string
  /** 0 to 63: which rows of `totals` it writes. */
  slot: number
  /** From then on it counts as dead, and others recover its work. */
  lease_until: number
  started_at: number
  /** The Fairgate version. */
  version: string
  /** Where its doors can be reached from other machines; null if they cannot. */
  address: string | null
  /** The change of the directory that applies in it. */
  directory_version: ColumnType<number, number | undefined, number>
  /** SHA-256 of its catalog, lower-case hex. */
  catalog_hash: string | null
}

/** An answer that its client did not get because its charge could not be recorded in time. */
export type UndeliveredAnswersTable = {
  team_id: string
  call_id: string
  /** Unix ms: when it was withheld. */
  at: number
}

/** The amounts that a team's calls have used above their holds, by the basis of the hold. Money in nano-dollars. */
export type UnchargedSumsTable = {
  team_id: string
  model_id: string
  endpoint: string
  /** `text`, `image`, `audio`, `document`; `counted` if the upstream had counted the input. */
  medium: string
  /** Over all time: the provider bills it, but no team was charged for it. */
  uncharged_nano: number
  /** The part since an organiser last cleared the sum. */
  open_nano: number
  /** The worst ratio of use to hold, in millionths: the holds of later calls are raised by it. 1,000,000 after it was cleared. */
  ratio: number
  /** Number of the change of the directory that wrote the row. */
  version: number
}

export type LedgerSchema = {
  uncharged_sums: UnchargedSumsTable
  charges: ChargesTable
  adjustments: AdjustmentsTable
  undelivered_answers: UndeliveredAnswersTable
  totals: TotalsTable
  running_calls: RunningCallsTable
  processes: ProcessesTable
}
