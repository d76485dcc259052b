// Claim links of judges: made, renewed and revoked by organisers and the head judge, and used to sign in.
import Type, { type Static } from 'typebox'
import { plainText, strict } from '../management/owner-fields.ts'
import { actionFields, actionQueryFields } from '../management/planned-action.ts'
import { orNull } from '../or-null.ts'

export const newJudgeCodesBodySchema = Type.Object(
  {
    judges: Type.Union([Type.Literal('all'), Type.Array(Type.String(), { minItems: 1, maxItems: 200 })], {
      description:
        'Ids of judges, or "all" for each who has no working link. A judge who is named and has one gets a new one; the old one stops working, and its sessions end.',
    }),
    duration: orNull(plainText({ description: 'Such as `7d` or `12h`; default `7d`' })),
    ...actionFields,
  },
  { ...strict, examples: [{ judges: 'all', dry_run: true }] },
)
export const judgeCodesReplySchema = Type.Object({
  items: Type.Array(
    Type.Object({
      judge_id: Type.String(),
      name: Type.String(),
      code: Type.String({ description: 'To type by hand, as `ABCD-EFGH-JKMN`. Shown only once' }),
      url: Type.String({ description: 'Claim link. The code follows `#`, which browsers do not send' }),
      expires_at: Type.String(),
    }),
  ),
  as_of: Type.String({ description: 'ISO 8601 in UTC' }),
})
export const revokeJudgeCodeQuerySchema = Type.Object(actionQueryFields)
/** Body of POST /judging/sign-in. Works on as many devices as the judge has, until the link ends. */
export const judgeSignInBodySchema = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'As typed: spaces, hyphens and case do not matter',
    }),
  },
  { ...strict, examples: [{ code: '<code>' }] },
)
/** Member `link` of a judge. */
export const judgeLinkSchema = Type.Object({
  state: Type.Enum(['none', 'works', 'expired', 'revoked']),
  code_name: Type.Union([Type.String(), Type.Null()], { description: 'Last four characters of the code' }),
  expires_at: Type.Union([Type.String(), Type.Null()]),
  first_used_at: Type.Union([Type.String(), Type.Null()]),
})

export type NewJudgeCodesBody = Static<typeof newJudgeCodesBodySchema>
export type JudgeCodesReply = Static<typeof judgeCodesReplySchema>
export type RevokeJudgeCodeQuery = Static<typeof revokeJudgeCodeQuerySchema>
export type JudgeLink = Static<typeof judgeLinkSchema>
