// The tables of those who watch an event: links of walls, and the notes of organisers and judges. Times in Unix ms.

/** A link that shows a wall to everybody who has it. Only the digest of its token is kept. */
export type WallTokensTable = {
  wall_token_id: string
  /** Lower-case hex SHA-256. */
  token_hash: string
  name: string
  /** 1: it shows how much of its budget each team has left. */
  shows_budgets: number
  /** From then on the wall shows what it has shown then; null: never. */
  freeze_at: number | null
  /** JSON, and when it was made: what a frozen wall shows. Null until then. */
  snapshot: string | null
  frozen_at: number | null
  created_at: number
  created_by: string
}

export type NotesTable = {
  note_id: string
  /** `team`, `session` or `entry`. */
  subject: string
  team_id: string
  /** Id of the session, or number of the entry; '' for a team. */
  subject_id: string
  text: string
  /** Name of the admin key that wrote it. */
  author: string
  created_at: number
  updated_at: number
}

export type WatchingSchema = { wall_tokens: WallTokensTable; notes: NotesTable }
