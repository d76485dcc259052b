// What GET /logs/search takes and tells: entries that contain what somebody looks for, newest first, with the place in their text.
import Type, { type Static } from 'typebox'
import { entriesQuerySchema } from '../logbook/entries-page.ts'
import { plainText } from '../management/owner-fields.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { textOrNull, timeParameter } from '../spend/spend-members.ts'
import { cursorQuery, nextCursor, replyHead } from './figures.ts'

export const defaultSearchPage = 100
export const mostHits = 1000
export const mostTerms = 8
/** Characters on each side of what was found. */
export const excerptSide = 80

const { event, tool } = entriesQuerySchema.properties

export const searchQuerySchema = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 256,
    description:
      `What an entry must contain: words, each anywhere in its texts and in any case; \`"…"\` exactly so; \`-word\` or \`-"…"\` nowhere. ${mostTerms} of them at most, ` +
      'one of them without `-`',
    examples: ['agedPick "return [" -test'],
  }),
  team_id: Type.Optional(teamIdSchema),
  person: Type.Optional(
    plainText({
      minLength: 1,
      description:
        'A `member_id`, for entries that were sent with tokens of this member, or an address that entries name as `student`',
    }),
  ),
  tool,
  event,
  from: timeParameter(
    'Only entries of this time or later. The time of an entry is its own, but never later than it was received',
  ),
  until: timeParameter('Only entries before this time'),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: mostHits,
      default: defaultSearchPage,
      examples: [20],
      description: 'Entries on a page at most',
    }),
  ),
  after: cursorQuery,
})

const hitSchema = Type.Object({
  seq: Type.Integer({ description: 'Number of the entry within its team' }),
  ts: Type.String({ description: 'The time that it claims, in UTC, in microseconds' }),
  received_at: Type.String({ description: 'When the service stored it' }),
  event: textOrNull('As the tool calls it'),
  member: Type.String({ description: 'Which member of the entry the excerpt is of, such as `prompt`' }),
  excerpt: Type.String({ description: `The first place, and ${excerptSide} characters on each side of it` }),
  is_cut: Type.Object({
    start: Type.Boolean({ description: 'The text begins before the excerpt' }),
    end: Type.Boolean({ description: 'The text goes on behind it' }),
  }),
  ranges: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]), {
    description:
      'What was looked for within the excerpt: first character and the one behind the last, in Unicode code points',
  }),
})

export const searchReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(
    Type.Object({
      team_id: Type.String(),
      session_id: textOrNull('Null for entries that name none'),
      tool: textOrNull('As the newest of these entries spells it'),
      hits: Type.Array(hitSchema, { description: 'Newest first' }),
    }),
    { description: 'By session; the one with the newest hit comes first' },
  ),
  hits: Type.Integer({ description: 'Entries on this page' }),
  searched: Type.Object(
    { entries: Type.Integer(), bytes: Type.Integer() },
    { description: 'What this page has looked at' },
  ),
  searched_to: textOrNull(
    'The time of the oldest entry that was looked at: what lies before is for the next page. Null where all has been looked at',
  ),
  next: nextCursor,
})

export type SearchQuery = Static<typeof searchQuerySchema>
export type SearchReply = Static<typeof searchReplySchema>
export type SearchHit = Static<typeof hitSchema>
