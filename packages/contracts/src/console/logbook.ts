// Reply of GET /logbook and data of the topic `entries`: one line per log entry, for all teams or one.
import Type, { type Static } from 'typebox'
import { entriesQuerySchema } from '../logbook/entries-page.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { replyHead } from './figures.ts'

/** Maximum characters in the line that summarises an entry. */
export const maxEntryText = 200

const { limit, before, event, tool } = entriesQuerySchema.properties

export const logbookQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  tool,
  event,
  limit,
  before,
})

export const logbookEntrySchema = Type.Object({
  team_id: Type.String(),
  seq: Type.Integer({ description: 'Number of the entry within its team' }),
  ts: Type.String({ description: 'Time of the event as stated in the entry, UTC with microseconds' }),
  received_at: Type.String({ description: 'When the service stored it, ISO 8601 in UTC' }),
  is_late: Type.Boolean({
    description: 'Arrived after the event locked the board, while earlier events were still accepted',
  }),
  tool: textOrNull('As stated in the entry'),
  event: textOrNull('As stated in the entry, such as `UserPromptSubmit`'),
  session_id: textOrNull('As stated in the entry'),
  student: textOrNull('Person named in the entry'),
  text: Type.String({
    description: `Summary of at most ${maxEntryText} characters: the prompt, the tool and its input, or the answer; '' if the entry has none of these`,
  }),
  bytes: Type.Integer({ description: 'Size of its JSON as stored' }),
})

export const logbookPageSchema = Type.Object({
  ...replyHead,
  items: Type.Array(logbookEntrySchema, {
    description: 'Newest first, by `ts`, or by `received_at` if that is earlier',
  }),
  next_before: textOrNull('Pass it as `before` for the next page; null on the last page'),
})

export type LogbookLine = Static<typeof logbookEntrySchema>
export type LogbookQuery = Static<typeof logbookQuerySchema>
export type LogbookPage = Static<typeof logbookPageSchema>
