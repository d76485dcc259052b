// The tables of notices, what teams are told and other services by webhooks, and of those who watch: links of walls, notes of organisers. Times in Unix ms.

/** A removed one stays, so that other processes hear of it. */
export type AnnouncementsTable = {
  announcement_id: string
  text: string
  link: string | null
  /** JSON: ids of the teams it is for; null for all. */
  teams: string | null
  from_at: number
  /** Null for one that is shown until it is removed. */
  until_at: number | null
  removed_at: number | null
  created_at: number
  created_by: string
  /** The change of the directory that wrote the row last. */
  version: number
}

export type WebhooksTable = {
  webhook_id: string
  url: string
  /** `json`, `slack` or `discord`. */
  kind: string
  /** JSON: names of the events it is told. */
  events: string
  /** Signs its messages. Encrypted, as operate/notices/secret-seal.ts does it. */
  secret: string
  created_at: number
  created_by: string
}

/** One event for one webhook. The key keeps several processes from telling it twice. */
export type WebhookDeliveriesTable = {
  webhook_id: string
  event_id: string
  /** JSON, as operate/notices/webhook-event.ts has it. */
  event: string
  /** `waiting`, `sent` or `given_up`. */
  state: string
  attempts: number
  /** When it is tried next; while a process tries it, when another one may. */
  due_at: number
  last_error: string | null
  created_at: number
  ended_at: number | null
}

/** Conditions that last: one that comes again after it has gone is told again. */
export type NotedConditionsTable = {
  condition_id: string
  since: number
  seen_at: number
  /** JSON: what is told when it is over; null if nothing is. */
  ended: string | null
}

/** Who has read an announcement, the first time. */
export type AnnouncementReadsTable = {
  announcement_id: string
  team_id: string
  /** Empty for somebody with a key of the whole team. */
  member_id: string
  seen_at: number
}

/** What a team asks the organisers. The last four are null until it is answered. */
export type QuestionsTable = {
  question_id: string
  team_id: string
  /** Null for somebody with a key of the whole team. */
  member_id: string | null
  text: string
  /** Which page and which call it is about; null where nobody has said. */
  page: string | null
  call_id: string | null
  asked_at: number
  answer: string | null
  answered_at: number | null
  answered_by: string | null
  /** Where the answer was told to all teams; null where it is for the team alone. */
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
