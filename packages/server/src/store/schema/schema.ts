// Every table of the database, for Kysely's types.
import type { AccessSchema } from './access.ts'
import type { CallsSchema } from './calls.ts'
import type { DirectorySchema } from './directory.ts'
import type { LedgerSchema } from './ledger.ts'
import type { LogbookSchema } from './logbook.ts'
import type { NoticesSchema, WatchingSchema } from './notices.ts'
import type { SpendSchema } from './spend.ts'

export type Schema = DirectorySchema &
  LedgerSchema &
  CallsSchema &
  LogbookSchema &
  IdempotentCallsSchema &
  VideosSchema &
  WindowsSchema &
  DeploymentSchema &
  AttentionSchema &
  NoticesSchema &
  AccessSchema &
  WatchingSchema &
  SpendSchema

/** What windows have counted since the row before; each second's row takes the place of those that commits had brought within it. */
type WindowRowsTable = {
  /** Ascends with every row. */
  sequence: number
  /** Unix ms by the clock of the windows. */
  written_at: number
  /** Unix ms: the time of day at that moment. */
  wall_at: number
  /** JSON, as limits/windows/window-contents.ts has it. */
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
  /** Of the answer; null while the call runs, and for good when its answer was not kept. */
  status: number | null
  /** Length of `body`, so that a team's answers can be bounded without reading them; 0 while there is none. */
  reply_bytes: number
  /** JSON object: name → value. */
  headers: string | null
  body: Uint8Array | null
  /** Of the process that makes the call; null once its end is on record. */
  process_id: string | null
}

type IdempotentCallsSchema = { idempotent_calls: IdempotentCallsTable }

/** One video that was ordered and charged. Money in nano-dollars, times in Unix ms. */
export type VideoTasksTable = {
  team_id: string
  /** Ours, and unguessable. */
  task_id: string
  /** Who ordered: `videos` by /v1/videos, `pass_through` by predictLongRunning. */
  interface: string
  key_hash: string
  model_id: string
  /** The charge of the order, and the periods it belongs to: what a refund takes back. */
  call_id: string
  cost_nano: number
  team_period: number
  key_period: number
  endpoint: string
  /** `submitting` until the upstream has taken the order, then `processing`, then `completed` or `failed`. */
  state: string
  /** JSON of what was asked, for the replies. */
  wish: string
  /** The upstream's name of the operation and the id of the key that it belongs to; null while submitting. */
  operation: string | null
  upstream_key: string | null
  /** JSON `{code, message}` of a failure. */
  error: string | null
  /** JSON list of the upstream's file ids. */
  files: string
  /** Size of our own copy; null when there is none. */
  stored_bytes: number | null
  created_at: number
  completed_at: number | null
  /** When the video is no longer kept. */
  expires_at: number | null
  /** When a task that still runs is given up. */
  deadline_at: number
  /** When somebody should look at it next; null when there is nothing left to do. */
  due_at: number | null
  /** Until when one process looks at it. */
  leased_until: number
  /** 1 when it is not shown: deleted, or never taken by the upstream. */
  hidden: number
}

/** A file at the upstream, and whose it is. */
type VendorFilesTable = {
  team_id: string
  file_id: string
  task_id: string
  upstream_key: string
  created_at: number
}

type VideosSchema = { video_tasks: VideoTasksTable; vendor_files: VendorFilesTable }

/** What the processes of one database must have in common: a digest of a key, or the folder of a machine's videos. */
type DeploymentFactsTable = {
  name: string
  value: string
  /** Unix ms: when a process last said so. */
  seen_at: number
}

/** What organisers have put off, on every process. */
type AttentionSnoozesTable = {
  /** As insight/attention/find-conditions.ts makes it. */
  condition_id: string
  /** Unix ms. */
  until: number
  actor: string
  reason: string
}

/** What lasts now, as any process has seen it begin. */
type ConditionStartsTable = {
  condition_id: string
  /** Unix ms. */
  since: number
}

type AttentionSchema = { attention_snoozes: AttentionSnoozesTable; condition_starts: ConditionStartsTable }

type DeploymentSchema = { deployment_facts: DeploymentFactsTable }
