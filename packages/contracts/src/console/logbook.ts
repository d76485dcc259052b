// What GET /logbook and the topic `entries` tell: each entry of the log in a line, of all teams or one.
import Type, { type Static } from 'typebox'
import { entriesQuerySchema } from '../logbook/entries-page.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { replyHead } from './figures.ts'

/** Characters of the line that says what an entry is about. */
export const mostEntryText = 200

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
  ts: Type.String({ description: 'Time of the event as the entry claims it, in UTC, in microseconds' }),
  received_at: Type.String({ description: 'When the service stored it, ISO 8601 in UTC' }),
  is_late: Type.Boolean({
    description: 'Came after the event had locked the board, while it still took what happened before',
  }),
  tool: textOrNull('As the entry names it'),
  event: textOrNull('As the entry names it, such as `UserPromptSubmit`'),
  session_id: textOrNull('As the entry names it'),
  student: textOrNull('Whom the entry names'),
  text: Type.String({
    description: `What it is about in a line of ${mostEntryText} characters at most: the prompt, the tool with what it was asked, or the answer; '' where it says none of these`,
  }),
  bytes: Type.Integer({ description: 'Of its JSON, as it is stored' }),
})

export const logbookPageSchema = Type.Object({
  ...replyHead,
  items: Type.Array(logbookEntrySchema, {
    description: 'Newest first, by `ts`, or by `received_at` where that is earlier',
  }),
  next_before: textOrNull('Pass it as `before` for the next page; null on the last page'),
})

export type LogbookLine = Static<typeof logbookEntrySchema>
export type LogbookQuery = Static<typeof logbookQuerySchema>
export type LogbookPage = Static<typeof logbookPageSchema>
