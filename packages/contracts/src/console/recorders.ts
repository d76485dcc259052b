// Reply of GET /recorders: the recorders of a team with their clone, members, backlog and warnings.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { replyHead } from './figures.ts'

export const recordersQuerySchema = Type.Object({ team_id: teamIdSchema })

export const recorderWarnings = {
  hooks_gone: 'Tools that were set up no longer have their hooks',
  clock_wrong: "The laptop's clock was minutes or hours off when it last sent entries",
  entries_waiting: 'Entries have been waiting on the laptop for more than an hour',
  entries_refused: 'The logbook rejected some entries',
  numbers_missing: "Some of the recorder's numbers have no entry",
  other_version: 'Its version differs from the recorder that this server offers',
  says_nothing: 'It sends no status: it is older than this server, or a different program',
} as const
export type RecorderWarning = keyof typeof recorderWarnings

export const recorderSchema = Type.Object({
  clone_id: Type.String({ description: '`recorder.id` of its entries' }),
  students: Type.Array(Type.String(), { description: 'Email addresses named in its entries' }),
  members: Type.Array(Type.Object({ member_id: Type.String(), name: Type.String() }), {
    description: 'Members who own the log tokens it uses',
  }),
  token_ids: Type.Array(Type.String()),
  version: textOrNull('Version of the recorder; null if it sends no status'),
  last_seen: textOrNull('When it last sent its status, ISO 8601 in UTC'),
  last_event: textOrNull("Time of its newest entry by the laptop's clock, but never later than its receipt"),
  last_received: textOrNull('When its last entry was received'),
  entries: Type.Integer({ description: 'Entries received' }),
  missing: Type.Integer({ description: 'Numbers between its first and last entry that have no entry' }),
  unsent: integerOrNull('Entries still waiting on the laptop after it last sent'),
  spool_age_ms: integerOrNull('How long the oldest of them has been waiting; null if none is waiting'),
  tools: Type.Array(
    Type.Object({
      tool: Type.String({ description: 'As spelled in its entries' }),
      entries: Type.Integer(),
      last_at: Type.String({ description: 'Time of the newest of them' }),
      last_event: textOrNull('Event of the newest entry'),
    }),
    { description: 'Most recently used first' },
  ),
  warnings: Type.Array(
    Type.Object({
      code: Type.Enum(Object.keys(recorderWarnings) as RecorderWarning[], {
        description: Object.entries(recorderWarnings)
          .map(([code, text]) => `\`${code}\`: ${text}`)
          .join('; '),
      }),
      text: Type.String({ description: 'Description with advice, for display' }),
    }),
  ),
})

export const recordersReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(recorderSchema, { description: 'Most recently seen first' }),
  next: Type.Null(),
})

export type RecorderItem = Static<typeof recorderSchema>
export type RecordersReply = Static<typeof recordersReplySchema>
