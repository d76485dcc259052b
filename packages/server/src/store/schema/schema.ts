// All tables of the database, for Kysely's types.
import type { AccessSchema } from './access.ts'
import type { CallsSchema } from './calls.ts'
import type { DirectorySchema } from './directory.ts'
import type { JudgingSchema } from './judging.ts'
import type { LedgerSchema } from './ledger.ts'
import type { LogbookSchema } from './logbook.ts'
import type { NoticesSchema, WatchingSchema } from './notices.ts'
import type { SpendSchema } from './spend.ts'

export type Schema = DirectorySchema &
  LedgerSchema &
  CallsSchema &
  LogbookSchema &
  IdempotentCallsSchema &
  StoredResponsesSchema &
  VideosSchema &
  FilesSchema &
  WindowsSchema &
  DeploymentSchema &
  AttentionSchema &
  NoticesSchema &
  AccessSchema &
  WatchingSchema &
  SpendSchema &
  JudgingSchema

/** The windows' counts since the previous row; each second's row replaces those of the commits within it. */
type WindowRowsTable = {
  /** Ascends with every row. */
  sequence: number
  /** Unix ms by the clock of the windows. */
  written_at: number
  /** Unix ms: the time of day at that moment. */
  wall_at: number
  /** JSON, in the form of limits/windows/window-contents.ts. */
  changes: string
}

type WindowsSchema = { window_rows: WindowRowsTable }

// The table of calls made with an Idempotency-Key: which request claimed the key, and the answer to repeat.

type IdempotentCallsTable = {
  team_id: string
  key_hash: string
  idempotency_key: string
  /** The route's own path, regardless of the spelling that was called. */
  route: string
  /** Lower-case hex SHA-256 of the request. */
  body_digest: string
  /** The call that holds the key: its charge, if there is one, has this id. */
  call_id: string
  /** Unix ms. */
  created_at: number
  /** Unix ms: from then on the key is free again. */
  expires_at: number
  /** Status of the answer; null while the call runs, and permanently if its answer was not kept. */
  status: number | null
  /** Length of `body`, so that a team's answers can be limited without reading them; 0 while there is none. */
  reply_bytes: number
  /** JSON object: name → value. */
  headers: string | null
  body: Uint8Array | null
  /** The process that makes the call; null once its end is on record. */
  process_id: string | null
}

type IdempotentCallsSchema = { idempotent_calls: IdempotentCallsTable }

/** A response of /v1/responses that later requests of its team may refer to. */
export type StoredResponsesTable = {
  team_id: string
  /** The call that made it: its ids contain this one. Ascends with time. */
  call_id: string
  /** Unix ms. */
  created_at: number
  /** The stored response that it continues; null if its request named none. */
  previous_call_id: string | null
  /** Sizes of the two texts in UTF-8, so that a team's responses can be limited without reading them. */
  response_bytes: number
  input_bytes: number
  /** JSON: the response object. */
  response: string
  /** JSON list: the input items as sent. References to other stored items are not resolved. */
  input: string
}

type StoredResponsesSchema = { stored_responses: StoredResponsesTable }

/** One video that was ordered and charged. Money in nano-dollars, times in Unix ms. */
export type VideoTasksTable = {
  team_id: string
  /** Our own id, which cannot be guessed. */
  task_id: string
  /** The route of the order: `videos` by /v1/videos, `pass_through` by predictLongRunning. */
  interface: string
  key_hash: string
  model_id: string
  /** The charge of the order, and its periods: a refund takes it back there. */
  call_id: string
  cost_nano: number
  team_period: number
  key_period: number
  endpoint: string
  /** `submitting` until the upstream has accepted the order, then `processing`, then `completed` or `failed`. */
  state: string
  /** JSON of the request, for the replies. */
  wish: string
  /** The upstream's name of the operation and the id of the key that it belongs to; null while submitting. */
  operation: string | null
  upstream_key: string | null
  /** JSON `{code, message}` of a failure. */
  error: string | null
  /** JSON list of the upstream's file ids. */
  files: string
  /** Size of our own copy; null if there is none. */
  stored_bytes: number | null
  created_at: number
  completed_at: number | null
  /** When the video is no longer kept. */
  expires_at: number | null
  /** When a task that is still running is given up. */
  deadline_at: number
  /** When it must be looked at next; null if nothing is left to do. */
  due_at: number | null
  /** Until when one process works on it. */
  leased_until: number
  /** 1 if it is not shown: deleted, or never accepted by the upstream. */
  hidden: number
}

/** A file at the upstream, and its owner. */
type VendorFilesTable = {
  team_id: string
  file_id: string
  task_id: string
  upstream_key: string
  created_at: number
}

/** A file that a team has uploaded as input for models, or an image that it may fetch by address. Times in Unix ms. */
export type FilesTable = {
  team_id: string
  /** Our own id, which cannot be guessed. */
  file_id: string
  /** The key that uploaded it. */
  key_hash: string
  /** `user_data` or `vision`, as OpenAI's clients name it; `image_by_address` for an image, which is never ready. */
  purpose: string
  filename: string
  mime_type: string
  /** While it is uploaded: the announced or largest possible size, which counts against the team's bounds from the start. */
  bytes: number
  /** JSON list of sizes: a resumable upload is kept in the pieces that it came in. */
  parts: string
  /** Lower-case hex; null while it is uploaded. */
  sha256: string | null
  /** 1 once it is whole; 0 again when it is deleted and its bytes are still to be removed. */
  ready: number
  created_at: number
  /** From then on it is gone, and an upload is given up. */
  expires_at: number
}

type FilesSchema = { files: FilesTable }

type VideosSchema = { video_tasks: VideoTasksTable; vendor_files: VendorFilesTable }

/** Facts that the processes of one database must share: a digest of a key, or the folder of a machine's videos. */
type DeploymentFactsTable = {
  name: string
  value: string
  /** Unix ms: when a process last reported it. */
  seen_at: number
}

/** Conditions that organisers have snoozed, on every process. */
type AttentionSnoozesTable = {
  /** The id of the condition, as made by insight/attention/find-conditions.ts. */
  condition_id: string
  /** Unix ms. */
  until: number
  actor: string
  reason: string
}

/** Ongoing conditions, with the earliest start that any process has seen. */
type ConditionStartsTable = {
  condition_id: string
  /** Unix ms. */
  since: number
}

type AttentionSchema = { attention_snoozes: AttentionSnoozesTable; condition_starts: ConditionStartsTable }

type DeploymentSchema = { deployment_facts: DeploymentFactsTable }
