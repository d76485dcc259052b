// Query and rows of GET /spend/export.ndjson and /spend/export.csv: one ledger row per line.
import Type, { type Static } from 'typebox'
import { textOrNull } from './spend-members.ts'
import { spendFilters } from './spend-report.ts'

const exportMembers = {
  ...spendFilters,
  refused: Type.Optional(
    Type.Boolean({ default: false, description: 'Include refused calls, which cost nothing' }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: 512, description: 'Continue after the row with this `cursor`' }),
  ),
}

export const spendExportQuerySchema = Type.Object(exportMembers)
export const spendExportCsvQuerySchema = Type.Object({
  ...exportMembers,
  bom: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Starts the file with a byte-order mark, so that Excel recognises UTF-8',
    }),
  ),
})

export const exportedSpendSchema = Type.Object({
  call_id: Type.String({
    description: 'The `x-gateway-call-id` of the answer; with suffix `/refund` for a refund',
  }),
  adjustment_id: textOrNull("Id of an organiser's correction of the call above it; null for other rows"),
  reason: textOrNull('Why the organiser corrected the call'),
  team_id: Type.String(),
  key: Type.String({ description: 'SHA-256 of the key, 64 hex digits' }),
  key_name: textOrNull('The key, masked except for its last four characters; kept after deletion'),
  key_alias: textOrNull('Display name of the key; kept after deletion'),
  member_id: textOrNull('Current or former owner of the key; null for a key without a member'),
  member_name: textOrNull('Name of the member'),
  model: textOrNull('Model id; for refused calls, as requested by the client'),
  endpoint: Type.String(),
  outcome: Type.String(),
  code: textOrNull('Error code of a refused call'),
  flag: textOrNull('Why the cost is not simply usage × price'),
  count: Type.Integer({
    description: 'Number of calls in this row; 0 for a correction by an organiser',
  }),
  cost_nano: Type.Integer({
    description: 'Nano-dollars (1e-9 USD); negative for a refund. The sum over all rows is the total spend',
  }),
  cost_usd: Type.String({ description: 'The same in USD, as a plain decimal' }),
  uncharged_nano: Type.Integer({
    description: "Usage that the provider reported above the call's hold and that was not charged",
  }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  units: Type.Record(Type.String(), Type.Number()),
  admitted_at: Type.String({ description: 'ISO 8601 in UTC' }),
  settled_at: Type.String({ description: 'ISO 8601 in UTC' }),
  duration_ms: Type.Integer(),
  cursor: Type.String({
    description: 'Pass the `cursor` of the last complete row as `after` to continue after it',
  }),
})

export type SpendExportQuery = Static<typeof spendExportQuerySchema>
export type ExportedSpendRow = Static<typeof exportedSpendSchema>
