// What GET /timeline tells: the calls and log entries of a team in the order of their times, and what organisers did that it notices.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'
import { integerOrNull, textOrNull } from '../spend/spend-members.ts'
import { cursorQuery, nextCursor, replyHead } from './figures.ts'

export const timelineKinds = [
  'call',
  'refusal',
  'entry',
  'grant',
  'correction',
  'phase',
  'announcement',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

export const defaultTimelinePage = 50
/** Characters of a text. */
export const mostTimelineText = 200

export const timelineQuerySchema = Type.Object({
  team_id: teamIdSchema,
  kind: Type.Optional(
    Type.Enum([...timelineKinds], {
      description: 'Only these. A page looks at so many calls at most, and may be short: go on with `next`.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: defaultTimelinePage, examples: [20] }),
  ),
  after: cursorQuery,
})

export const timelineItemSchema = Type.Object({
  kind: Type.Enum([...timelineKinds]),
  at: Type.String({
    description:
      'Of a call: when it came. Of an entry: its own time, but never later than it was received. Of a phase: its start. ISO 8601 in UTC',
  }),
  claimed_at: textOrNull(
    'Of an entry that dates itself more than five minutes later than it was received: the time that it claims; else null',
  ),
  text: Type.String({
    description: `What became of the call in a sentence, '' where all went well; of an entry what it is about, as the list of the logbook says it; of a grant or correction its reason; of a phase its name; of an announcement its text`,
  }),
  model: textOrNull('That served the call, or else was asked, or that a correction is of; else null'),
  event: textOrNull('Of the entry, such as `UserPromptSubmit`; else null'),
  tool: textOrNull('Null where it is not known'),
  session_id: textOrNull('Null where none is named'),
  cost_nano: integerOrNull(
    'Of the call, in nano-dollars; of a grant what the budget rose by, of a correction what the spend changed by, negative for less; else null',
  ),
  duration_ms: integerOrNull('Of the call; else null'),
  count: Type.Integer({ description: 'Calls that the item stands for: equal refusals in a row are one' }),
  ref: Type.String({
    description:
      'The `call_id`, `team#number` of the entry, the id of the grant or correction (`adjustment_id`), the name of the phase, or the `announcement_id`',
  }),
})

export const timelineReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(timelineItemSchema, { description: 'Newest first' }),
  next: nextCursor,
})

export type TimelineItem = Static<typeof timelineItemSchema>
export type TimelineQuery = Static<typeof timelineQuerySchema>
export type TimelineReply = Static<typeof timelineReplySchema>
