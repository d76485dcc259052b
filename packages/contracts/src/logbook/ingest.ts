// Body and reply of POST /api/ingest (spec 4.2).
import Type, { type Static } from 'typebox'
import { maximumEntriesPerRequest } from './limits.ts'
import { logEntrySchema } from './log-entry.ts'

const example = {
  ts: '2026-11-21T18:30:00.123+09:00',
  tool: 'claude',
  event: 'UserPromptSubmit',
  session_id: 'session-1',
  repo: 'robot',
  branch: 'main',
  commit: '4b825dc',
  student: 'ada@example.org',
  prompt: 'Write a test.',
}

export const ingestBodySchema = Type.Object(
  { entries: Type.Array(logEntrySchema, { maxItems: maximumEntriesPerRequest }) },
  { examples: [{ entries: [example] }] },
)

/** Reasons for rejecting an entry. Sending it again unchanged fails again. */
export const rejectionCodeSchema = Type.Union([
  Type.Literal('invalid_entry'),
  Type.Literal('missing_field'),
  Type.Literal('field_too_long'),
  Type.Literal('invalid_timestamp'),
  Type.Literal('entry_too_large'),
  Type.Literal('locked'),
])

/** Anomalies of an entry that was stored anyway. */
export const warningCodeSchema = Type.Union([
  Type.Literal('offset_missing'),
  Type.Literal('timestamp_in_future'),
])

const indexSchema = Type.Integer({ minimum: 0, description: 'Position in `entries` as sent' })

export const rejectionSchema = Type.Object({
  index: indexSchema,
  code: rejectionCodeSchema,
  message: Type.String(),
})
export const warningSchema = Type.Object({
  index: indexSchema,
  code: warningCodeSchema,
  message: Type.String(),
})

export const ingestReplySchema = Type.Object({
  received: Type.Integer({ description: 'Entries in the request' }),
  stored: Type.Integer({ description: 'New entries, now on disk' }),
  duplicates: Type.Integer({ description: 'Entries that were already stored; they were dropped' }),
  rejected: Type.Array(rejectionSchema, {
    description: 'Rejected entries. All others are on disk.',
  }),
  warnings: Type.Array(warningSchema),
  head: Type.Object(
    {
      seq: Type.Integer({ description: "Number of the team's last entry" }),
      chain: Type.String({ description: 'Its link in the hash chain, 64 hex digits' }),
    },
    { description: 'Keep this value to prove later that no earlier entry was changed.' },
  ),
})

export type Rejection = Static<typeof rejectionSchema>
export type RejectionCode = Static<typeof rejectionCodeSchema>
export type Warning = Static<typeof warningSchema>
export type IngestReply = Static<typeof ingestReplySchema>
