// The reply of GET /logs/verify: whether a team's chain of entries can be recomputed from what is stored.
import Type, { type Static } from 'typebox'

export const logVerificationSchema = Type.Object({
  team_id: Type.String(),
  ok: Type.Boolean({ description: 'True when every stored entry is what was acknowledged' }),
  entries: Type.Integer({ description: 'Entries checked' }),
  head: Type.Union([Type.Object({ seq: Type.Integer(), chain: Type.String() }), Type.Null()], {
    description: 'The last entry, when all is well',
  }),
  problem: Type.Union(
    [
      Type.Object({
        seq: Type.Integer({ description: 'The first number at fault' }),
        kind: Type.String({
          description: 'missing, altered, columns_altered, commitment_altered, cut or head_differs',
        }),
      }),
      Type.Null(),
    ],
    { description: 'The first thing that does not fit' },
  ),
})

export type LogVerification = Static<typeof logVerificationSchema>
