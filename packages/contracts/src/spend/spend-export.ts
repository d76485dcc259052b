// What GET /spend/export.ndjson and /spend/export.csv write: the rows of the ledger, one a line.
import Type, { type Static } from 'typebox'
import { textOrNull } from './spend-members.ts'
import { spendFilters } from './spend-report.ts'

const exportMembers = {
  ...spendFilters,
  refused: Type.Optional(
    Type.Boolean({ default: false, description: 'With the refused calls, which cost nothing' }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: 512, description: 'Goes on behind the row with this `cursor`' }),
  ),
}

export const spendExportQuerySchema = Type.Object(exportMembers)
export const spendExportCsvQuerySchema = Type.Object({
  ...exportMembers,
  bom: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Begins the file with a byte-order mark, by which Excel recognises UTF-8',
    }),
  ),
})

export const exportedSpendSchema = Type.Object({
  call_id: Type.String({
    description: 'The `x-gateway-call-id` of the answer; with `/refund` for what was given back',
  }),
  adjustment_id: textOrNull("Of an organiser's correction of the call above it; null for other rows"),
  reason: textOrNull('Why the organiser corrected the call'),
  team_id: Type.String(),
  key: Type.String({ description: 'SHA-256 of the key, 64 hex digits' }),
  key_name: textOrNull('The key with only its last four characters; a deleted key keeps it'),
  key_alias: textOrNull('Its name for people; a deleted key keeps it'),
  member_id: textOrNull('The member whose key it is or was; null for a key without a member'),
  member_name: textOrNull('Name of the member'),
  model: textOrNull('The id of the model; for refused calls as the client wrote it'),
  endpoint: Type.String(),
  outcome: Type.String(),
  code: textOrNull('The code of the error that refused the call'),
  flag: textOrNull('Why the cost is not plain usage × price'),
  count: Type.Integer({
    description: 'How many calls the row stands for; 0 for a correction by an organiser',
  }),
  cost_nano: Type.Integer({
    description: 'Nano-dollars (1e-9 USD); negative for a refund. The sum over all rows is what was spent',
  }),
  cost_usd: Type.String({ description: 'The same in USD, as a plain decimal' }),
  uncharged_nano: Type.Integer({
    description: 'Reported by the provider above the hold of the call and not charged',
  }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  units: Type.Record(Type.String(), Type.Number()),
  admitted_at: Type.String({ description: 'ISO 8601 in UTC' }),
  settled_at: Type.String({ description: 'ISO 8601 in UTC' }),
  duration_ms: Type.Integer(),
  cursor: Type.String({ description: 'Pass that of the last whole row as `after` to go on behind it' }),
})

export type SpendExportQuery = Static<typeof spendExportQuerySchema>
export type ExportedSpendRow = Static<typeof exportedSpendSchema>
