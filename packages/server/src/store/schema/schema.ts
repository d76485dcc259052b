// Every table of the database, for Kysely's types.
import type { DirectorySchema } from './directory.ts'
import type { LedgerSchema } from './ledger.ts'
import type { LogbookSchema } from './logbook.ts'
import type { VideosSchema } from './videos.ts'

export type Schema = DirectorySchema &
  LedgerSchema &
  LogbookSchema &
  IdempotentCallsSchema &
  VideosSchema &
  WindowsSchema

/** What windows have counted since the row before; each second's row takes the place of those that commits had brought within it. */
type WindowRowsTable = {
  /** Ascends with every row. */
  sequence: number
  /** Unix ms by the clock of the windows. */
  written_at: number
  /** Unix ms: the time of day at that moment. */
  wall_at: number
  /** JSON, as limits/windows/write-contents.ts has it. */
  changes: string
}

type WindowsSchema = { window_rows: WindowRowsTable }

// The table of calls made with an Idempotency-Key: who claimed the key for what, and the answer to give again.

type IdempotentCallsTable = {
  team_id: string
  key_hash: string
  idempotency_key: string
  /** The route's own path, whichever spelling was called. */
  route: string
  /** Lower-case hex SHA-256 of what was asked. */
  body_digest: string
  /** The call that holds the key: its charge, when there is one, stands under this id. */
  call_id: string
  /** Unix ms. */
  created_at: number
  /** Unix ms: from then on the key is free again. */
  expires_at: number
  /** Of the answer; null while the call runs, and for ever when its answer was not kept. */
  status: number | null
  /** Length of `body`, so that a team's answers can be bounded without reading them; 0 while there is none. */
  reply_bytes: number
  /** JSON object: name → value. */
  headers: string | null
  body: Uint8Array | null
}

type IdempotentCallsSchema = { idempotent_calls: IdempotentCallsTable }
