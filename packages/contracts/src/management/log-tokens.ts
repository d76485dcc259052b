// Bodies and replies of log token requests on the admin door.
import Type, { type Static } from 'typebox'
import { plainText, strict } from './owner-fields.ts'
import { actionFields } from './planned-action.ts'
import { teamIdSchema } from './team-bodies.ts'

export const generateLogTokenBodySchema = Type.Object(
  {
    team_id: teamIdSchema,
    member_id: Type.Optional(plainText({ description: 'Member who owns the token' })),
  },
  strict,
)
export const revokeLogTokenBodySchema = Type.Object(
  {
    token_id: plainText({
      minLength: 1,
      description:
        'The `token_id` or a prefix of it, the token itself, its SHA-256 in hex or the first digits of it, or its last four characters; prefix with `team_id/` to search only the tokens of one team',
    }),
    ...actionFields,
  },
  strict,
)
export const listLogTokensQuerySchema = Type.Object({ team_id: Type.Optional(teamIdSchema) })

export const generatedLogTokenSchema = Type.Object({
  token: Type.String({ description: 'The log token itself. Shown only once: only its SHA-256 is stored.' }),
  token_id: Type.String({ description: 'Public id, for support and revocation' }),
  team_id: Type.String(),
})

export const logTokenSchema = Type.Object({
  token_id: Type.String(),
  token_name: Type.String({ description: '`aitc_...` and the last four characters' }),
  team_id: Type.String(),
  revoked_at: Type.Union([Type.String(), Type.Null()], {
    description: 'ISO 8601 in UTC; null while it works',
  }),
  created_at: Type.String(),
  created_by: Type.String(),
  member_id: Type.Optional(
    Type.String({ description: 'Member who owns the token; absent for a token of the whole team' }),
  ),
})

export const logTokenListSchema = Type.Object({ log_tokens: Type.Array(logTokenSchema) })

export type GenerateLogTokenBody = Static<typeof generateLogTokenBodySchema>
export type GeneratedLogToken = Static<typeof generatedLogTokenSchema>
export type LogTokenRecord = Static<typeof logTokenSchema>
export type LogTokenList = Static<typeof logTokenListSchema>
