// Bodies and replies for claims on the admin door: codes with which team members get their keys.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { plainText, strict } from './owner-fields.ts'
import { moment } from './people.ts'
import { actionFields, actionQueryFields } from './planned-action.ts'
import { teamIdSchema } from './team-bodies.ts'

const duration = orNull(
  Type.String({ description: 'Time to expiry from now, such as 12h or 3d; default: seven days' }),
)
const seats = orNull(
  Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: 'Number of people not on the member list who may also join; default: none',
  }),
)

export const newClaimsBodySchema = Type.Object(
  {
    teams: Type.Union([Type.Literal('all'), Type.Array(teamIdSchema, { minItems: 1, maxItems: 1000 })], {
      description: 'Team ids, or `all`: every team that is not blocked and has no working code',
    }),
    seats,
    duration,
    ...actionFields,
  },
  { ...strict, examples: [{ teams: 'all', seats: 1 }] },
)
export const claimIdBodySchema = Type.Object({ duration, seats, ...actionFields }, strict)
export const revokeClaimQuerySchema = Type.Object(actionQueryFields)
export const listClaimsQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  ended: Type.Optional(
    Type.Boolean({ default: false, description: 'Include expired, renewed and revoked codes' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  after: Type.Optional(plainText({ description: '`next` of the previous page' })),
})

const timeOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const claimSchema = Type.Object({
  claim_id: Type.String(),
  team_id: Type.String(),
  team_alias: Type.String(),
  code_name: Type.String({ description: 'Last four characters of the code' }),
  state: Type.Union(
    [Type.Literal('works'), Type.Literal('expired'), Type.Literal('renewed'), Type.Literal('revoked')],
    { description: 'A working code can still have no free seats' },
  ),
  free_members: Type.Integer({ description: 'Members with a free seat' }),
  seats: Type.Integer({ description: 'Seats for people not on the member list' }),
  seats_left: Type.Integer(),
  uses: Type.Integer({ description: 'Seats taken with this code' }),
  last_used_at: timeOrNull('Null before the first use'),
  expires_at: Type.String(),
  ended_at: timeOrNull('When it was renewed or revoked'),
  created_at: Type.String(),
  created_by: Type.String(),
})

export const madeClaimSchema = Type.Object({
  ...claimSchema.properties,
  code: Type.String({ description: 'The code itself. Shown only once: only its SHA-256 is stored.' }),
  url: Type.String({ description: 'Link for the team' }),
  qr_svg: Type.String({ description: 'The link as a QR code: one SVG element' }),
})

export const madeClaimsSchema = Type.Object({ items: Type.Array(madeClaimSchema), ...moment })
export const madeClaimReplySchema = Type.Object({ ...madeClaimSchema.properties, ...moment })
export const claimReplySchema = Type.Object({ ...claimSchema.properties, ...moment })
export const claimListSchema = Type.Object({
  items: Type.Array(claimSchema, { description: 'Newest first' }),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `after` for the next page; null on the last page',
  }),
  ...moment,
})

export type ClaimRecord = Static<typeof claimSchema>
export type MadeClaim = Static<typeof madeClaimSchema>
export type MadeClaims = Static<typeof madeClaimsSchema>
export type ClaimList = Static<typeof claimListSchema>
export type NewClaimsBody = Static<typeof newClaimsBodySchema>
export type RevokeClaimQuery = Static<typeof revokeClaimQuerySchema>
export type RenewClaimBody = Static<typeof claimIdBodySchema>
