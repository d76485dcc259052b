// Judging: the record of everything that organisers and judges did, in order, and what judges have written and not finished yet.

export type JudgingRecordsTable = {
  /** Without gaps, from 1. */
  seq: number
  /** As in judging/judging-records.ts. */
  kind: string
  /** Unix ms. */
  at: number
  actor: string
  /** JSON. */
  body: string
  /** 16 random bytes. */
  salt: Uint8Array
  /** SHA-256 of salt, identity and SHA-256 of the body: a later proof covers the row by it. */
  commitment: Uint8Array
}

/** A judgement that its judge may still change. It goes into the record when it is finished. */
export type JudgingDraftsTable = {
  judge_id: string
  team_id: string
  /** Grows by one with each save, and when the judgement is finished or opened again. */
  revision: number
  /** JSON of a JudgementContent. */
  content: string
  /** The page that saved last names itself; null for others. */
  device: string | null
  /** Unix ms; null before the first save. */
  saved_at: number | null
}

export type JudgingSchema = { judging_records: JudgingRecordsTable; judging_drafts: JudgingDraftsTable }
