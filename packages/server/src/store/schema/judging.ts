// The record of judging: everything that organisers and judges did, in order. What stands now follows from it.

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

export type JudgingSchema = { judging_records: JudgingRecordsTable }
