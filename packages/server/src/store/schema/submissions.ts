// The table of submissions: each version that a team has handed in, never changed.

export type SubmissionsTable = {
  team_id: string
  /** 1, 2, 3, … without gaps within the team. */
  version: number
  /** By the database's clock, microseconds since the Unix epoch. */
  received_micros: number
  /** The deadline that applied then (Unix ms); null if there was none. */
  due_at: number | null
  key_hash: string
  member_id: string | null
  /** 16 random bytes. */
  salt: Uint8Array
  /** SHA-256 of salt, identity and body: a later proof covers the row by it. */
  commitment: Uint8Array
  /** Canonical JSON, in the form of evidence/seal-submission.ts. */
  body: string
}

export type SubmissionsSchema = { submissions: SubmissionsTable }
