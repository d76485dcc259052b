// Announcements of the organisers as shown to a team, on the gateway and on the logbook.
import Type, { type Static } from 'typebox'

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const shownAnnouncementSchema = Type.Object({
  announcement_id: Type.String(),
  text: Type.String(),
  link: textOrNull('Link to more information; null if there is none'),
  from: Type.String({ description: 'ISO 8601 in UTC' }),
  until: textOrNull('ISO 8601 in UTC; null if shown until it is removed'),
})

export const teamAnnouncementsSchema = Type.Object({
  items: Type.Array(shownAnnouncementSchema, { description: 'Announcements shown now, newest first' }),
  as_of: Type.String({ description: 'Time of this reply, ISO 8601 in UTC' }),
})

export type ShownAnnouncement = Static<typeof shownAnnouncementSchema>
