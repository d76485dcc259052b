// Tables of announcements and questions, webhooks and their deliveries, wall links and organisers' notes. Times in Unix ms.

/** Removed ones stay, so that other processes learn of the removal. */
export type AnnouncementsTable = {
  announcement_id: string
  text: string
  link: string | null
  /** JSON: ids of the teams that see it; null for all. */
  teams: string | null
  from_at: number
  /** Null: shown until it is removed. */
  until_at: number | null
  removed_at: number | null
  created_at: number
  created_by: string
  /** The change of the directory that last wrote the row. */
  version: number
}

export type WebhooksTable = {
  webhook_id: string
  url: string
  /** `json`, `slack` or `discord`. */
  kind: string
  /** JSON: names of the events that it receives. */
  events: string
  /** Signs its messages. Encrypted, as operate/notices/secret-seal.ts does it. */
  secret: string
  created_at: number
  created_by: string
}

/** One event for one webhook. The key prevents multiple processes from sending it twice. */
export type WebhookDeliveriesTable = {
  webhook_id: string
  event_id: string
  /** JSON, in the form of operate/notices/webhook-event.ts. */
  event: string
  /** `waiting`, `sent` or `given_up`. */
  state: string
  attempts: number
  /** When it is next tried; during an attempt, when another process may try. */
  due_at: number
  last_error: string | null
  created_at: number
  ended_at: number | null
}

/** Ongoing conditions: one that returns after it has ended is sent again. */
export type NotedConditionsTable = {
  condition_id: string
  since: number
  seen_at: number
  /** JSON: the event to send when it ends; null if there is none. */
  ended: string | null
}

/** Who has read an announcement, and when for the first time. */
export type AnnouncementReadsTable = {
  announcement_id: string
  team_id: string
  /** Empty for a reader with a key of the whole team. */
  member_id: string
  seen_at: number
}

/** A team's question to the organisers. The last four are null until it is answered. */
export type QuestionsTable = {
  question_id: string
  team_id: string
  /** Null for a key of the whole team. */
  member_id: string | null
  text: string
  /** The page and the call that it is about; null if not given. */
  page: string | null
  call_id: string | null
  asked_at: number
  answer: string | null
  answered_at: number | null
  answered_by: string | null
  /** The announcement that shows the answer to all teams; null if only the team sees it. */
  announcement_id: string | null
}

export type NoticesSchema = {
  announcement_reads: AnnouncementReadsTable
  questions: QuestionsTable
  announcements: AnnouncementsTable
  webhooks: WebhooksTable
  webhook_deliveries: WebhookDeliveriesTable
  noted_conditions: NotedConditionsTable
}

/** A link that shows a wall to anyone who has it. Only the digest of its token is stored. */
export type WallTokensTable = {
  wall_token_id: string
  /** Lower-case hex SHA-256. */
  token_hash: string
  name: string
  /** 1: it shows how much of its budget each team has left. */
  shows_budgets: number
  /** From then on the wall keeps showing the figures of that time; null: never. */
  freeze_at: number | null
  /** JSON, and when it was made: the content of a frozen wall. Null until then. */
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
