// Query and reply of GET /api/ingest/entries (spec 2.11, 4.2).
import Type, { type Static } from 'typebox'
import { defaultPageSize, maximumPageSize } from './limits.ts'

const textOrNull = Type.Union([Type.String(), Type.Null()])
const textObjectOrNull = Type.Union([Type.String(), Type.Object({}), Type.Array(Type.Unknown()), Type.Null()])

export const storedEntrySchema = Type.Object(
  {
    ts: Type.String({ description: 'Time of the event in UTC, with the precision as sent' }),
    tool: Type.String({ description: 'Lower case' }),
    event: Type.String(),
    session_id: Type.String(),
    repo: Type.String(),
    branch: Type.String(),
    commit: Type.String(),
    student: Type.String(),
    model: textOrNull,
    prompt: textOrNull,
    tool_name: textOrNull,
    tool_input: textObjectOrNull,
    tool_response: textObjectOrNull,
    tool_error: textObjectOrNull,
    response_summary: textOrNull,
    stop_reason: textOrNull,
    received_at: Type.String({ description: 'When the service stored the entry, ISO 8601 in UTC' }),
  },
  { additionalProperties: false },
)

export const entriesPageSchema = Type.Object({
  items: Type.Array(storedEntrySchema, { description: 'Newest first' }),
  next_before: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `before` for the next page; null on the last page',
  }),
})

export const entriesQuerySchema = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: defaultPageSize,
      description: `Items per page; values above ${maximumPageSize} count as ${maximumPageSize}`,
    }),
  ),
  before: Type.Optional(
    Type.String({
      description: 'Only entries before this time (ISO 8601), or `next_before` of the previous page',
    }),
  ),
  event: Type.Optional(Type.String({ description: 'Exact event name; empty means all' })),
  tool: Type.Optional(Type.String({ description: 'Tool name, case-insensitive; empty means all' })),
})

export type StoredEntry = Static<typeof storedEntrySchema>
export type EntriesPage = Static<typeof entriesPageSchema>
