// Forms and replies of the join pages on the gateway door, and the secrets that a laptop gets for its ticket.
import Type, { type Static } from 'typebox'
import { replyHead } from '../console/figures.ts'
import { lightSchema } from '../console/teams.ts'
import { personNameSchema } from '../management/people.ts'

export const joinFormSchema = Type.Object({
  member: Type.String({ maxLength: 128, description: '`member_id` of the person joining, or `other`' }),
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
      examples: ['3f9c1a7e5b2d48f60c9e7d1b4a8f3e52'],
      description:
        'At least 128 random bits in hex, generated and kept on this laptop. With the same value the ticket returns the same secrets again; with a different value it is used up.',
    }),
  },
  { additionalProperties: false },
)

export const joinedSchema = Type.Object({
  team_id: Type.String(),
  team_alias: Type.String(),
  member_id: Type.String(),
  name: Type.String(),
  key: Type.String({ description: 'The gateway key. It is not stored anywhere else.' }),
  log_token: Type.String({ description: 'The log token. It is not stored anywhere else.' }),
  gateway_url: Type.String(),
  logbook_url: Type.String(),
})

/** Lights in the order in which they turn on. */
export const joinLightNames = ['key', 'call', 'recorder', 'entry'] as const
export type JoinLightName = (typeof joinLightNames)[number]

export const joinLightsSchema = Type.Object({
  ...replyHead,
  time_zone: Type.String({ description: 'Time zone of the event, in which pages show times' }),
  lights: Type.Object(
    { key: lightSchema, call: lightSchema, recorder: lightSchema, entry: lightSchema },
    {
      description:
        'Progress of the laptop: its key exists, a call with the key has succeeded, its recorder has reported, the log contains one of its entries',
    },
  ),
})

export type JoinLights = Static<typeof joinLightsSchema>
export type JoinForm = Static<typeof joinFormSchema>
export type Joined = Static<typeof joinedSchema>
