// The logbook's tables: one board per team with the head of its chain, and the entries, which are never changed.
import type { ColumnType } from 'kysely'

export type BoardsTable = {
  team_id: string
  /** 1: accepts no new entries. */
  locked: number
  /** From this time on the board is locked (Unix ms); null for no lock time. */
  lock_at: number | null
  /** JSON: when the event locks the board (board-locks.ts); null for never. */
  event_locks: ColumnType<string | null, unknown, string | null>
  /** When an organiser last opened the board (Unix ms): locks of the event from before no longer count. */
  opened_at: ColumnType<number | null, number | null | undefined, number | null>
  /** Number of the last entry; 0 for none. */
  head_seq: number
  /** Lower-case hex; 64 zeros while there is no entry. */
  head_chain: string
  /** When the last entry was received, microseconds since the Unix epoch; 0 while there is none. */
  head_received_micros: number
  /** Last change of the lock (Unix ms). */
  updated_at: number
}

export type EntriesTable = {
  team_id: string
  /** 1, 2, 3, … without gaps within the team, in the order of commit. */
  seq: number
  /** Time of the event as the entry claims it, microseconds since the Unix epoch. */
  ts_micros: number
  /** Time of the commit, microseconds since the Unix epoch. It never decreases from one entry of the team to the next. */
  received_micros: number
  /** Filter keys: the text with its odd characters escaped, or a digest if it is long. */
  tool_key: string
  event_key: string
  /** Lower-case hex SHA-256 of the canonical JSON of the entry as sent. */
  identity: string
  /** Lower-case hex: this entry's link. */
  chain: string
  /** UTF-8 length of `body`, so that a page can be bounded before bodies are read. */
  body_bytes: number
  /** Canonical JSON of the entry as sent, with its long members cut. */
  body: string
  /** The id of the log token that sent it. */
  token_id: string
  client_address: string | null
  /** 16 random bytes. Null only if they were removed from the database, which a check of the chain reports. */
  salt: Uint8Array | null
  /** SHA-256 of salt, identity and SHA-256 of `body`: 32 bytes. */
  commitment: Uint8Array | null
  /** 1: arrived after the event had locked the board, within the time allowed for earlier events. */
  late: number
}

/** A recorder's latest report about itself. */
type RecordersTable = {
  /** The log token that it sends with. */
  token_id: string
  /** The clone that it records: 8 hex digits. */
  clone_id: string
  team_id: string
  version: string
  /** Entries that waited when it had sent, and since when the oldest of them has waited (Unix ms). */
  unsent: number
  oldest_at: number | null
  rejected: number
  /** JSON: tools that have lost their hooks. */
  gone: string
  /** How far the laptop's clock was behind the server's; null if the recorder does not report it. */
  clock_behind_ms: number | null
  /** Unix ms. */
  seen_at: number
}

/** Number of a team's entries that happened in the five minutes from `bucket_start` (decision 026). Updated in the transaction of each batch. */
export type EntryBucketsTable = {
  /** Unix ms, by the times of the entries, which are never later than their receipt. */
  bucket_start: number
  team_id: string
  entries: number
}

export type LogbookSchema = {
  boards: BoardsTable
  entries: EntriesTable
  entry_buckets: EntryBucketsTable
  recorders: RecordersTable
}
