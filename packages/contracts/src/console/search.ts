// Query and reply of GET /logs/search: matching entries, newest first, with an excerpt around each match.
import Type, { type Static } from 'typebox'
import { entriesQuerySchema } from '../logbook/entries-page.ts'
import { plainText } from '../management/owner-fields.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { textOrNull, timeParameter } from '../spend/spend-members.ts'
import { cursorQuery, nextCursor, replyHead } from './figures.ts'

export const defaultSearchPage = 100
export const maxHits = 1000
export const maxTerms = 8
/** Characters of context on each side of a match. */
export const excerptSide = 80

const { event, tool } = entriesQuerySchema.properties

export const searchQuerySchema = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 256,
    description:
      `Search terms: words match anywhere in an entry's texts, ignoring case; \`"…"\` matches exactly; \`-word\` or \`-"…"\` excludes. At most ${maxTerms} terms, ` +
      'at least one of them without `-`',
    examples: ['agedPick "return [" -test'],
  }),
  team_id: Type.Optional(teamIdSchema),
  person: Type.Optional(
    plainText({
      minLength: 1,
      description:
        "A `member_id`, for entries sent with this member's tokens, or an address that entries name as `student`",
    }),
  ),
  tool,
  event,
  from: timeParameter(
    'from',
    'Only entries at or after this time. The time of an entry is the one it states, but never later than its receipt',
  ),
  until: timeParameter('until', 'Only entries before this time'),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxHits,
      default: defaultSearchPage,
      examples: [20],
      description: 'Maximum entries per page',
    }),
  ),
  after: cursorQuery,
})

/** Not `Type.Tuple`, which writes `items` as a list: JSON Schema 2020-12, and so OpenAPI 3.1, does not know it. */
const codePoints = Type.Unsafe<[number, number]>(
  Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 }),
)

const hitSchema = Type.Object({
  seq: Type.Integer({ description: 'Number of the entry within its team' }),
  ts: Type.String({ description: 'Time stated in the entry, UTC with microseconds' }),
  received_at: Type.String({ description: 'When the service stored it' }),
  event: textOrNull('As named by the tool'),
  member: Type.String({ description: 'Member of the entry that the excerpt comes from, such as `prompt`' }),
  excerpt: Type.String({ description: `First match with ${excerptSide} characters on each side` }),
  is_cut: Type.Object({
    start: Type.Boolean({ description: 'The text starts before the excerpt' }),
    end: Type.Boolean({ description: 'The text continues after the excerpt' }),
  }),
  ranges: Type.Array(codePoints, {
    description: 'Matches within the excerpt: start and end (exclusive), in Unicode code points',
  }),
})

export const searchReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(
    Type.Object({
      team_id: Type.String(),
      session_id: textOrNull('Null for entries without a session id'),
      tool: textOrNull('As spelled in the newest of these entries'),
      hits: Type.Array(hitSchema, { description: 'Newest first' }),
    }),
    { description: 'Grouped by session; the session with the newest hit first' },
  ),
  hits: Type.Integer({ description: 'Entries on this page' }),
  searched: Type.Object(
    { entries: Type.Integer(), bytes: Type.Integer() },
    { description: 'Amount searched for this page' },
  ),
  searched_to: textOrNull(
    'Time of the oldest entry searched: earlier entries are searched for the next page. Null if all entries have been searched',
  ),
  next: nextCursor,
})

export type SearchQuery = Static<typeof searchQuerySchema>
export type SearchReply = Static<typeof searchReplySchema>
export type SearchHit = Static<typeof hitSchema>
