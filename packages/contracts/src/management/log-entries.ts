// The queries and replies for reading entries at the admin door: each entry as it was stored, with what the logbook added.
import Type, { type Static } from 'typebox'
import { entriesQuerySchema } from '../logbook/entries-page.ts'
import { maximumPositionsLength } from './entry-positions.ts'
import { teamIdSchema } from './team-bodies.ts'

/** Absent: all teams. */
const teamIdMember = Type.Optional(teamIdSchema)

const { limit, before, event, tool } = entriesQuerySchema.properties

export const logEntriesQuerySchema = Type.Object({ team_id: teamIdMember, limit, before, event, tool })

export const logEntryQuerySchema = Type.Object({
  team_id: teamIdSchema,
  entry: Type.String({
    pattern: '^([1-9][0-9]{0,14}|[0-9a-f]{64})$',
    description: 'The `seq` of the entry within its team, or its `id`',
    examples: ['17'],
  }),
})

const exportMembers = {
  team_id: teamIdMember,
  after_seq: Type.Optional(
    Type.String({
      maxLength: maximumPositionsLength,
      description:
        'Only entries with a higher `seq`: a number where `team_id` is given (`17`), a list over several teams (`red:17,blue:3`). ' +
        'A team that is not in the list is read from its first entry.',
      examples: ['red:17,blue:3'],
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
      description: 'Begins the file with a byte-order mark, by which Excel recognises UTF-8',
    }),
  ),
})

export const loggedEntrySchema = Type.Object({
  team_id: Type.String({ description: 'The team whose token sent it' }),
  seq: Type.Integer({ description: 'Number of the entry within its team: 1, 2, 3, … without gaps' }),
  id: Type.String({
    description: 'SHA-256 of the canonical JSON of the entry as it was sent, 64 hex digits',
  }),
  ts: Type.String({ description: 'Time of the event in UTC, in microseconds; pages are ordered by it' }),
  received_at: Type.String({ description: 'When the service stored the entry, ISO 8601 in UTC' }),
  chain: Type.String({ description: 'Its link in the hash chain of the team, 64 hex digits' }),
  token_id: Type.String({ description: 'Id of the log token that sent it' }),
  client_address: Type.Union([Type.String(), Type.Null()], {
    description:
      'IP address that it was sent from, as far as the proxies in front of the server are trusted; null where it is not known',
  }),
  late: Type.Optional(
    Type.Boolean({
      description:
        'true: came after the event had locked the board, while it still took what happened before',
    }),
  ),
  entry: Type.Object(
    {},
    {
      description:
        'The entry exactly as it is stored: every member that was sent, unknown ones included; only `prompt`, `tool_response` and ' +
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
