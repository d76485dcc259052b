// The tables of videos in the making: tasks that outlive the call that ordered them, and the files that the upstream made.

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
export type VendorFilesTable = {
  team_id: string
  file_id: string
  task_id: string
  upstream_key: string
  created_at: number
}

export type VideosSchema = { video_tasks: VideoTasksTable; vendor_files: VendorFilesTable }
