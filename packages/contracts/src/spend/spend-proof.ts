// Query and reply of GET /spend/verify, which checks that the totals of all owners equal the sums of the ledger's rows.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'

export const spendProofQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  whole: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: '`true`: sum all rows again, including those that an earlier proof summed',
    }),
  ),
})

export const wrongTotalSchema = Type.Object({
  team_id: Type.String(),
  owner: Type.String({
    description:
      '`team:<id>`, `key:<hash>` or `key_model:<hash>:<model>`; with prefix `report:` for report sums',
  }),
  total_nano: Type.Integer({ description: 'Stored total, in nano-dollars' }),
  rows_nano: Type.Integer({ description: 'Sum of the rows' }),
})

export const spendProofSchema = Type.Object({
  as_of: Type.String({ description: 'When the proof started, ISO 8601 in UTC' }),
  took_ms: Type.Integer(),
  ok: Type.Boolean({ description: 'true if every total equals the sum of its rows' }),
  teams: Type.Integer({ description: 'Teams checked' }),
  owners: Type.Integer({ description: 'Totals checked' }),
  rows: Type.Integer({ description: 'Ledger rows checked' }),
  rows_before: Type.Integer({
    description:
      'Rows for which sums of an earlier proof in the last 24 hours were used; 0 with `whole=true`',
  }),
  wrong: Type.Array(wrongTotalSchema, { description: 'At most 100; see `wrong_count`' }),
  wrong_count: Type.Integer({ description: 'Totals that differ from the sum of their rows' }),
  by_fallback: Type.Integer({
    description:
      'Totals of a key and model that differ only because a fallback served the call, which counts towards the budget of the requested model',
  }),
})

export type WrongTotal = Static<typeof wrongTotalSchema>
export type SpendProof = Static<typeof spendProofSchema>
