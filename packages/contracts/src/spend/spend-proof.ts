// What GET /spend/verify tells: whether the totals of all owners are the sums of the ledger's rows.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from '../management/team-bodies.ts'

export const spendProofQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  whole: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: '`true`: sum all rows again, also those that an earlier proof has summed',
    }),
  ),
})

export const wrongTotalSchema = Type.Object({
  team_id: Type.String(),
  owner: Type.String({
    description:
      '`team:<id>`, `key:<hash>` or `key_model:<hash>:<model>`; `report:` in front for the sums of reports',
  }),
  total_nano: Type.Integer({ description: 'What the total says, in nano-dollars' }),
  rows_nano: Type.Integer({ description: 'The sum of the rows' }),
})

export const spendProofSchema = Type.Object({
  as_of: Type.String({ description: 'When the proof began, ISO 8601 in UTC' }),
  took_ms: Type.Integer(),
  ok: Type.Boolean({ description: 'True when every total is the sum of its rows' }),
  teams: Type.Integer({ description: 'Teams whose totals were compared' }),
  owners: Type.Integer({ description: 'Totals that were compared' }),
  rows: Type.Integer({ description: 'Rows of the ledger whose sum was compared' }),
  rows_before: Type.Integer({
    description:
      'How many of them an earlier proof of the last 24 hours has summed, whose sums were used; 0 with `whole=true`',
  }),
  wrong: Type.Array(wrongTotalSchema, { description: 'At most 100; see `wrong_count`' }),
  wrong_count: Type.Integer({ description: 'Totals that are not the sum of their rows' }),
  by_fallback: Type.Integer({
    description:
      'Totals of a key and model that differ only because a fallback served: the call counts in the budget of the model that was asked',
  }),
})

export type WrongTotal = Static<typeof wrongTotalSchema>
export type SpendProof = Static<typeof spendProofSchema>
