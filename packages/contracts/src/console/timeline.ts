// Reply of GET /timeline: calls and log entries of a team in time order, and actions of organisers that affect it.
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
/** Maximum characters of a text. */
export const maxTimelineText = 200

export const timelineQuerySchema = Type.Object({
  team_id: teamIdSchema,
  kind: Type.Optional(
    Type.Enum([...timelineKinds], {
      description:
        'Only items of this kind. A page reads a limited number of calls, so it can be short: continue with `next`.',
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
      'Call: when it was received. Entry: its stated time, but never later than its receipt. Phase: its start. ISO 8601 in UTC',
  }),
  claimed_at: textOrNull(
    'Stated time of an entry, if more than five minutes later than its receipt; otherwise null',
  ),
  text: Type.String({
    description: `Call: outcome in one sentence, '' on success. Entry: its summary, as in the logbook list. Grant or correction: its reason. Phase: its name. Announcement: its text`,
  }),
  model: textOrNull(
    'Model that served the call or was requested, or that a correction applies to; otherwise null',
  ),
  event: textOrNull('Event of the entry, such as `UserPromptSubmit`; otherwise null'),
  tool: textOrNull('Null if unknown'),
  session_id: textOrNull('Null if none is named'),
  cost_nano: integerOrNull(
    'Call: its cost in nano-dollars. Grant: increase of the budget. Correction: change of the spend, negative for a reduction. Otherwise null',
  ),
  duration_ms: integerOrNull('Duration of the call; otherwise null'),
  count: Type.Integer({
    description: 'Number of calls in this item: consecutive identical refusals are grouped',
  }),
  ref: Type.String({
    description:
      '`call_id`, `team#number` of the entry, id of the grant or correction (`adjustment_id`), name of the phase, or `announcement_id`',
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
