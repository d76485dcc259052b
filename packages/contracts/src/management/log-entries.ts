// Queries and replies for reading entries on the admin door: each entry as stored, with the members added by the logbook.
import Type, { type Static } from 'typebox'
import { entriesQuerySchema } from '../logbook/entries-page.ts'
import { maximumPositionsLength } from './entry-positions.ts'
import { teamIdSchema } from './team-bodies.ts'

/** All teams if absent. */
const teamIdMember = Type.Optional(teamIdSchema)

const { limit, before, event, tool } = entriesQuerySchema.properties

export const logEntriesQuerySchema = Type.Object({ team_id: teamIdMember, limit, before, event, tool })

export const logEntryQuerySchema = Type.Object({
  team_id: teamIdSchema,
  entry: Type.String({
    pattern: '^([1-9][0-9]{0,14}|[0-9a-f]{64})$',
    description: '`seq` of the entry within its team, or its `id`',
    examples: ['1'],
  }),
})

const exportMembers = {
  team_id: teamIdMember,
  after_seq: Type.Optional(
    Type.String({
      maxLength: maximumPositionsLength,
      description:
        'Only entries with a higher `seq`: a number if `team_id` is given (`17`), otherwise a list (`red:17,blue:3`). ' +
        'Teams not in the list are read from their first entry.',
    }),
  ),
  event,
  tool,
}

export const exportQuerySchema = Type.Object(exportMembers)

export const exportCsvQuerySchema = Type.Object({
  ...exportMembers,
  bom: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Starts the file with a byte-order mark, so that Excel recognises UTF-8',
    }),
  ),
})

export const loggedEntrySchema = Type.Object({
  team_id: Type.String({ description: 'Team that owns the token it was sent with' }),
  seq: Type.Integer({ description: 'Number of the entry within its team: 1, 2, 3, … without gaps' }),
  id: Type.String({
    description: 'SHA-256 of the canonical JSON of the entry as sent, 64 hex digits',
  }),
  ts: Type.String({ description: 'Time of the event, UTC with microseconds; pages are ordered by it' }),
  received_at: Type.String({ description: 'When the service stored the entry, ISO 8601 in UTC' }),
  chain: Type.String({ description: "Its link in the team's hash chain, 64 hex digits" }),
  token_id: Type.String({ description: 'Id of the log token that sent it' }),
  client_address: Type.Union([Type.String(), Type.Null()], {
    description: 'IP address that it was sent from, as determined from trusted proxies; null if unknown',
  }),
  late: Type.Optional(
    Type.Boolean({
      description: 'true: arrived after the event locked the board, while earlier events were still accepted',
    }),
  ),
  entry: Type.Object(
    {},
    {
      description:
        'The entry exactly as stored: every member as sent, including unknown ones; only `prompt`, `tool_response` and ' +
        '`response_summary` are cut to their limits.',
    },
  ),
})

export const logEntriesPageSchema = Type.Object({
  items: Type.Array(loggedEntrySchema, { description: 'Newest first' }),
  next_before: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `before` for the next page; null on the last page',
  }),
})

export type LoggedEntry = Static<typeof loggedEntrySchema>
export type LogEntriesPage = Static<typeof logEntriesPageSchema>
