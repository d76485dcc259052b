// The reply of GET /logs/verify: whether a team's chain of entries can be recomputed from what is stored.
import Type, { type Static } from 'typebox'

export const logVerificationSchema = Type.Object({
  team_id: Type.String(),
  ok: Type.Boolean({ description: 'True when every stored entry is what was acknowledged' }),
  entries: Type.Integer({ description: 'Entries checked' }),
  head: Type.Union([Type.Object({ seq: Type.Integer(), chain: Type.String() }), Type.Null()], {
    description: 'The last entry, when all is well',
  }),
  recorders: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Of the clone, 8 hex digits, as its recorder made it' }),
      entries: Type.Integer({ description: 'Entries of the clone' }),
      first: Type.Integer({ description: 'Their lowest number' }),
      last: Type.Integer({ description: 'Their highest number' }),
      missing: Type.Integer({ description: 'Numbers between the two that no entry has' }),
      repeated: Type.Integer({ description: 'Entries whose number another entry has too' }),
    }),
    {
      description:
        'For information only: recorders number the entries of each clone. A hook that was killed or a full disk leaves a gap too, and ' +
        'a folder that was copied repeats numbers. A team can write any number. At most 1,000 clones.',
    },
  ),
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
