// Bodies and replies for announcements from organisers to all or some teams.
import Type, { type Static } from 'typebox'
import { shownAnnouncementSchema } from '../info/announcements.ts'
import { orNull } from '../or-null.ts'
import { plainText, strict } from './owner-fields.ts'
import { moment } from './people.ts'
import { actionFields, actionQueryFields } from './planned-action.ts'
import { teamIdSchema } from './team-bodies.ts'

const timeOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const announcementTextSchema = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'One line of plain text, without control or invisible characters',
})
export const announcementLinkSchema = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'An http or https address',
})

export const newAnnouncementBodySchema = Type.Object(
  {
    text: announcementTextSchema,
    link: orNull(announcementLinkSchema),
    teams: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Array(teamIdSchema, { minItems: 1, maxItems: 10_000 })], {
        description: 'Recipients; default: all teams',
      }),
    ),
    from: orNull(
      Type.String({
        description: "ISO 8601; without an offset, in the event's time zone. Default: now.",
      }),
    ),
    until: orNull(
      Type.String({
        description: 'ISO 8601, as `from`, exclusive. Default: until removed.',
      }),
    ),
    ...actionFields,
  },
  { ...strict, examples: [{ text: 'Lunch is served in hall 2.', until: '2030-11-21T14:00:00Z' }] },
)

export const removeAnnouncementQuerySchema = Type.Object(actionQueryFields)

export const listAnnouncementsQuerySchema = Type.Object({
  past: Type.Optional(
    Type.Boolean({ default: false, description: 'Include past and removed announcements' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  after: Type.Optional(plainText({ description: '`next` of the previous page' })),
})

export const announcementSchema = Type.Object({
  ...shownAnnouncementSchema.properties,
  audience: Type.Union([Type.Literal('all'), Type.Array(Type.String())], {
    description: '`all`, or team ids',
  }),
  state: Type.Union([
    Type.Literal('coming'),
    Type.Literal('shown'),
    Type.Literal('over'),
    Type.Literal('removed'),
  ]),
  shown_to: Type.Integer({ description: 'Number of teams it is shown to now' }),
  read_count: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Teams in which at least one person has read it on the team page; null if unknown',
  }),
  read_by_members: orNull(
    Type.Integer({
      description: 'Members with a key of their own who have read it; null if unknown',
    }),
  ),
  created_at: Type.String(),
  created_by: Type.String(),
  removed_at: timeOrNull('Null unless removed'),
})

export const announcementReplySchema = Type.Object({ ...announcementSchema.properties, ...moment })
export const announcementListSchema = Type.Object({
  items: Type.Array(announcementSchema),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `after` for the next page; null on the last page',
  }),
  total: Type.Object({ count: Type.Integer() }),
  ...moment,
})

export type AnnouncementRecord = Static<typeof announcementSchema>
export type AnnouncementReply = Static<typeof announcementReplySchema>
export type AnnouncementList = Static<typeof announcementListSchema>
export type NewAnnouncementBody = Static<typeof newAnnouncementBodySchema>
export type RemoveAnnouncementQuery = Static<typeof removeAnnouncementQuerySchema>
