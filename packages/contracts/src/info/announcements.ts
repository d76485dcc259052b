// What the organisers tell a team, as it is shown to the team on the gateway and on the logbook.
import Type, { type Static } from 'typebox'

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const shownAnnouncementSchema = Type.Object({
  announcement_id: Type.String(),
  text: Type.String(),
  link: textOrNull('Where more is to be read; null for nowhere'),
  from: Type.String({ description: 'ISO 8601 in UTC' }),
  until: textOrNull('ISO 8601 in UTC; null: until it is removed'),
})

export const teamAnnouncementsSchema = Type.Object({
  items: Type.Array(shownAnnouncementSchema, { description: 'Those that are shown now, the newest first' }),
  as_of: Type.String({ description: 'ISO 8601 in UTC: the instant of this answer' }),
})

export type ShownAnnouncement = Static<typeof shownAnnouncementSchema>
