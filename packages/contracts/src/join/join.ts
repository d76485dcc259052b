// What the join pages of the gateway door take, and what a laptop gets for its ticket.
import Type, { type Static } from 'typebox'
import { replyHead } from '../console/figures.ts'
import { lightSchema } from '../console/teams.ts'
import { personNameSchema } from '../management/people.ts'

export const joinFormSchema = Type.Object({
  member: Type.String({ maxLength: 128, description: 'The member_id of who joins, or `other`' }),
  name: Type.Optional(personNameSchema),
  want: Type.Union([Type.Literal('line'), Type.Literal('key')], {
    description: '`line`: one line to paste, with a ticket. `key`: the key itself, shown once.',
  }),
})

export const findCodeQuerySchema = Type.Object({ code: Type.Optional(Type.String({ maxLength: 200 })) })

export const useTicketBodySchema = Type.Object(
  {
    laptop: Type.String({
      pattern: '^[0-9a-f]{32,64}$',
      description:
        'At least 128 random bits in hex, made on this laptop and kept there: with the same ones the ticket gives the same secrets again, with others it is used up.',
    }),
  },
  { additionalProperties: false },
)

export const joinedSchema = Type.Object({
  team_id: Type.String(),
  team_alias: Type.String(),
  member_id: Type.String(),
  name: Type.String(),
  key: Type.String({ description: 'The gateway key. It is kept nowhere else.' }),
  log_token: Type.String({ description: 'The log token. It is kept nowhere else.' }),
  gateway_url: Type.String(),
  logbook_url: Type.String(),
})

/** In this order they come on. */
export const joinLightNames = ['key', 'call', 'recorder', 'entry'] as const
export type JoinLightName = (typeof joinLightNames)[number]

export const joinLightsSchema = Type.Object({
  ...replyHead,
  time_zone: Type.String({ description: 'Of the event; pages show times in it' }),
  lights: Type.Object(
    { key: lightSchema, call: lightSchema, recorder: lightSchema, entry: lightSchema },
    {
      description:
        'How far the laptop is: its key is made, a call with the key has succeeded, its recorder was heard, an entry of it is in the log',
    },
  ),
})

export type JoinLights = Static<typeof joinLightsSchema>
export type JoinForm = Static<typeof joinFormSchema>
export type Joined = Static<typeof joinedSchema>
