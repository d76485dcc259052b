// What GET /recorders tells: who records what on which clone, whether it lags behind, and what is wrong with it.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { replyHead } from './figures.ts'

export const recordersQuerySchema = Type.Object({ team_id: teamIdSchema })

export const recorderWarnings = {
  hooks_gone: 'Tools that were set up have lost their hooks',
  clock_wrong: 'The clock of the laptop was minutes or hours off when it last sent',
  entries_waiting: 'Entries wait on the laptop for more than an hour',
  entries_refused: 'The logbook did not take some entries',
  numbers_missing: 'Some numbers of the recorder have no entry',
  other_version: 'It is not the recorder that this server offers',
  says_nothing: 'It says nothing of itself: it is older than this server, or another program',
} as const
export type RecorderWarning = keyof typeof recorderWarnings

export const recorderSchema = Type.Object({
  clone_id: Type.String({ description: 'The `recorder.id` of its entries' }),
  students: Type.Array(Type.String(), { description: 'Addresses that its entries name' }),
  members: Type.Array(Type.Object({ member_id: Type.String(), name: Type.String() }), {
    description: 'To whom the log tokens belong that it sends with',
  }),
  token_ids: Type.Array(Type.String()),
  version: textOrNull('Of the recorder; null where it says nothing'),
  last_seen: textOrNull('When it last said something of itself, ISO 8601 in UTC'),
  last_event: textOrNull(
    'When its newest entry happened, by the clock of the laptop, but never later than it was received',
  ),
  last_received: textOrNull('When its last entry came'),
  entries: Type.Integer({ description: 'That have come' }),
  missing: Type.Integer({ description: 'Numbers between its first and its last that no entry has' }),
  unsent: integerOrNull('Entries that waited on the laptop when it had sent'),
  spool_age_ms: integerOrNull('How long the oldest of them has waited by now; null where none waits'),
  tools: Type.Array(
    Type.Object({
      tool: Type.String({ description: 'As its entries spell it' }),
      entries: Type.Integer(),
      last_at: Type.String({ description: 'When the newest of them happened' }),
      last_event: textOrNull('What it was'),
    }),
    { description: 'The one that was used last comes first' },
  ),
  warnings: Type.Array(
    Type.Object({
      code: Type.Enum(Object.keys(recorderWarnings) as RecorderWarning[], {
        description: Object.entries(recorderWarnings)
          .map(([code, text]) => `\`${code}\`: ${text}`)
          .join('; '),
      }),
      text: Type.String({ description: 'For people, with what to do' }),
    }),
  ),
})

export const recordersReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(recorderSchema, { description: 'The one that was heard of last comes first' }),
  next: Type.Null(),
})

export type RecorderItem = Static<typeof recorderSchema>
export type RecordersReply = Static<typeof recordersReplySchema>
