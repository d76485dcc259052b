// The table of calls: the outcome of every authenticated call on a route that costs money.
import type { Generated } from 'kysely'

export type CallsTable = {
  team_id: string
  /** Ascends with time: it is the order of the table. */
  call_id: string
  key_hash: string
  endpoint: string
  model_asked: string | null
  model_served: string | null
  outcome: string
  code: string | null
  status: number | null
  /** JSON: the figures of a refusal by a limit. */
  refusal: string | null
  /** JSON: unit → count. */
  units: string
  /** Nano-dollars, the same as in the charge. */
  cost_nano: number
  flag: string | null
  /** Unix ms. */
  received_at: number
  ended_at: number
  duration_ms: number
  first_byte_ms: number | null
  upstream: string | null
  upstream_key: string | null
  session_id: string | null
  session_source: string | null
  parent_session: string | null
  tool: string | null
  user_agent: string | null
  client_address: string | null
  /** Number of calls that the row represents: equal refusals in a row are one. */
  calls: number
  last_at: number
  /** JSON: the digests of its texts, with their own salt: erasing them leaves the commitment unchanged. */
  texts: string | null
  texts_salt: Uint8Array | null
  /** The commitment's input for the digests: it stays when they are erased. */
  texts_hash: Uint8Array | null
  salt: Uint8Array
  /** SHA-256 of salt, identity and body: a later proof covers the row by it. */
  commit_hash: Uint8Array
}

/** The records of the calls of one commit, until they are filed as rows of `calls`. */
export type UnfiledCallsTable = {
  note_id: Generated<number>
  /** JSON, as `writeNote` writes it. */
  records: string
}

export type CallsSchema = { calls: CallsTable; unfiled_calls: UnfiledCallsTable }
