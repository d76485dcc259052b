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

/** Spend per owner: `team:<id>`, `key:<hash>`, `key_model:<hash>:<model>`; `event`, without a team, is that of all teams in one period. */
export type TotalsTable = {
  owner: string
  team_id: string
  /** Of the process that wrote the row (0 where there is only one): an owner's total is the sum of its rows. */
  slot: number
  /** Start of the period that `spent_nano` belongs to (Unix ms). */
  period_start: number
  spent_nano: number
  lifetime_nano: number
  /** What ended calls have given back of what was held for them: money in the period `period_start`, and slots over all time. */
  returned_nano: ColumnType<number, number | undefined, number>
  returned_slots: ColumnType<number, number | undefined, number>
  /** Grows with every change, so that a stale copy is recognised. */
  version: number
}

/** A correction of what was spent, or a grant on top of a budget: append-only. Money in nano-dollars, times in Unix ms. */
export type AdjustmentsTable = {
  team_id: string
  /** Chosen by whoever asks: the same one twice is one adjustment. */
  adjustment_id: string
  /** `grant` raises the budget of the team; `refund` gives back of the charge of a call; `adjust` is any other correction of spend. */
  kind: 'grant' | 'refund' | 'adjust'
  /** Of a refund; null otherwise. */
  call_id: string | null
  /** Null: of the team alone. */
  key_hash: string | null
  model_id: string | null
  /** More, or (negative) less. */
  amount_nano: number
  /** Starts of the budget periods in which it counts; without a key that of the key means nothing. */
  team_period: number
  key_period: number
  at: number
  actor: string
  reason: string
  /** Of the act that reached several teams; null otherwise. */
  bulk_id: string | null
}

/** A call that is running, as the process that runs it has told. What the process leaves when it dies is recovered from here. */
export type RunningCallsTable = {
  team_id: string
  call_id: string
  process_id: string
  /** `call`, `stream`, `order` (a video), or `info` (takes a slot alone). */
  kind: string
  key_hash: string
  /** Null for a call for information. */
  model_id: string | null
  endpoint: string | null
  admitted_at: number
  /** Starts of the budget periods in which the call was admitted (Unix ms). */
  team_period: number
  key_period: number
  /** What is held for it. */
  amount_nano: number
  /** What of it is held of the event's cap: nothing where there was none when it was admitted. */
  event_nano: number
  /** What it took of the token windows. */
  reserved_tokens: number
  /** JSON: unit → count. This and what follows are known of streams alone: their last progress, which a crash charges. */
  units: string | null
  cost_nano: number
  flag: string | null
  reported: string | null
  progress_at: number | null
  /** JSON: what the record of the call needs besides. */
  facts: string | null
}

/** A process that uses the database. Times are the database's (Unix ms). */
export type ProcessesTable = {
  process_id: string
  /** 0 to 63: which rows of `totals` it writes. */
  slot: number
  /** From then on it counts as dead, and others recover what it was doing. */
  lease_until: number
  started_at: number
  /** Of Fairgate. */
  version: string
  /** Where its own doors can be reached from other machines; null where they cannot. */
  address: string | null
  /** The change of the directory that it has in force. */
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

/** What calls of a team have used above their holds, by what the hold was worked out from. Money in nano-dollars. */
export type UnchargedSumsTable = {
  team_id: string
  model_id: string
  endpoint: string
  /** `text`, `image`, `audio`, `document`; `counted` if the upstream had counted the input. */
  medium: string
  /** Over all time: the provider bills it, and no team was charged for it. */
  uncharged_nano: number
  /** Of it, since an organiser has cleared the sum last. */
  open_nano: number
  /** The worst use by its hold, in millionths: later calls are held for so much more. 1,000,000 once it was cleared. */
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
