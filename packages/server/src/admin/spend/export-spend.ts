// GET /spend/export.ndjson and /spend/export.csv: stream the ledger's rows, team by team in order of their ids, from any position on.
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type ExportedSpendRow,
  exportedSpendSchema,
  spendExportCsvQuerySchema,
  spendExportQuerySchema,
} from '@fairgate/contracts/spend/spend-export.ts'
import type { Static } from 'typebox'
import type { Directory } from '../../directory/create-directory.ts'
import { refuseValue } from '../../directory/refusals.ts'
import type { Call } from '../../http/call.ts'
import { writeCell } from '../../http/write-cell.ts'
import { readSpendFilter } from '../../insight/spend-reports.ts'
import { countTokens } from '../../ledger/count-tokens.ts'
import { firstIdOf } from '../../store/statements/calls.ts'
import type { ExportedSpend, SpendPlace } from '../../store/statements/spend-export.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'
import {
  createCsvFormat,
  createNdjsonFormat,
  csvReply,
  type ExportFormat,
  exportReplyHeaders,
  ndjsonReply,
  streamExport,
} from '../stream-export.ts'

type ExportQuery = Static<typeof spendExportQuerySchema>

/** Max rows in memory at once. */
const rowsPerSlice = 1000

const description =
  'Charges, refunds and corrections, which never change and are kept forever. Team by team, in order of the calls, with a correction by an organiser after its call, ' +
  'up to calls that came before the export began. A correction has the time of its call, so it is not found after a `cursor` of later calls. To continue an export, pass the `cursor` of the last complete row as `after`. The reply is ' +
  'sent while it is read from the database; if that fails, the connection is closed early, so that the client sees an error.'
const start: SpendPlace = { callId: '', adjustmentId: null }
const facts = {
  tag: 'Spend',
  openTo: 'organisers',
  replyHeaders: exportReplyHeaders,
  errors: ['invalid_request', 'team_not_found', 'key_not_found', 'unavailable'],
  keepsOpen: true,
} as const

export function exportSpendRoutes(management: Management): AdminRoute[] {
  const { directory } = management
  const ndjson = createNdjsonFormat((row: ExportedSpend) => JSON.stringify(showRow(row, directory)))
  return [
    lookupRoute({
      ...facts,
      path: '/spend/export.ndjson',
      summary: 'Export spend, one JSON object per line',
      description: `${description} Each line has these members: ${columns.map(name => `\`${name}\``).join(', ')}.`,
      query: spendExportQuerySchema,
      reply: ndjsonReply,
      look: (query, call) => exportSpend(management, ndjson, query, call),
    }),
    lookupRoute({
      ...facts,
      path: '/spend/export.csv',
      summary: 'Export spend as CSV',
      description:
        `${description} The first line names the columns. Cells that a spreadsheet could take for a formula, and those that begin with ` +
        'an apostrophe, have an apostrophe in front.',
      query: spendExportCsvQuerySchema,
      reply: csvReply,
      look: (query, call) => {
        const writeRow = (row: ExportedSpend) => writeCsvRow(showRow(row, directory))
        const format = createCsvFormat(`${columns.map(writeCell).join(',')}\r\n`, writeRow, query.bom)
        return exportSpend(management, format, query, call)
      },
    }),
  ]
}

const columns = Object.keys(exportedSpendSchema.properties) as (keyof ExportedSpendRow)[]

/** Numbers stay numbers, even negative ones. Any other cell that a spreadsheet could take for a formula gets an apostrophe. */
function writeCsvRow(row: ExportedSpendRow): string {
  const cells = columns.map(name => {
    const value = row[name]
    if (typeof value === 'number' || name === 'cost_usd') return String(value)
    if (value === null) return ''
    return writeCell(typeof value === 'object' ? JSON.stringify(value) : value)
  })
  return `${cells.join(',')}\r\n`
}

async function exportSpend(
  { read, directory, clock }: Management,
  format: ExportFormat<ExportedSpend>,
  query: ExportQuery,
  call: Call,
): Promise<Response> {
  const filter = readSpendFilter(query, directory)
  const behind = query.after === undefined ? null : readCursor(query.after)
  const endId = firstIdOf(Math.min(filter.until ?? Number.POSITIVE_INFINITY, clock() + 1))
  const fromId = filter.from === null ? '' : firstIdOf(filter.from)
  const asked = filter.teamId === null ? await read.listSpendingTeams() : [filter.teamId]
  const teams = behind === null ? asked : asked.filter(teamId => teamId >= behind.teamId)

  async function* readRows(): AsyncGenerator<readonly ExportedSpend[], void> {
    for (const teamId of teams) {
      let after: SpendPlace | null = behind?.teamId === teamId ? behind : start
      while (after !== null) {
        const slice: Awaited<ReturnType<typeof read.readSpendRows>> = await read.readSpendRows({
          teamId,
          after,
          fromId,
          endId,
          keyHash: filter.keyHash,
          modelId: filter.modelId,
          withRefused: query.refused === true,
          limit: rowsPerSlice,
        })
        yield slice.rows
        after = slice.nextAfter
      }
    }
  }
  return await streamExport(call, format, { what: 'spend', teamId: filter.teamId, steps: readRows() })
}

function showRow(
  row: ExportedSpend,
  directory: Pick<Directory, 'findKeyName' | 'findMember'>,
): ExportedSpendRow {
  const key = directory.findKeyName(row.keyHash)
  const memberId = key?.memberId ?? null
  const { input, output } = countTokens(row.units)
  return {
    call_id: row.callId,
    adjustment_id: row.adjustmentId,
    reason: row.reason,
    team_id: row.teamId,
    key: row.keyHash,
    key_name: key?.keyName ?? null,
    key_alias: key?.alias ?? null,
    member_id: memberId,
    member_name: memberId === null ? null : (directory.findMember(memberId)?.name ?? null),
    model: row.modelId,
    endpoint: row.endpoint,
    outcome: row.outcome,
    code: row.code,
    flag: row.flag,
    count: row.count,
    cost_nano: row.cost,
    cost_usd: writeUsd(row.cost),
    uncharged_nano: row.uncharged,
    input_tokens: input,
    output_tokens: output,
    units: row.units,
    admitted_at: isoTime(row.admittedAt),
    settled_at: isoTime(row.settledAt),
    duration_ms: row.durationMs,
    cursor: writeCursor(row),
  }
}

/** All nine decimals of a nano-dollar, with the sign of a refund. */
function writeUsd(nano: number): string {
  const digits = String(Math.abs(nano)).padStart(10, '0')
  return `${nano < 0 ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`
}

function writeCursor({
  teamId,
  callId,
  adjustmentId,
}: Pick<ExportedSpend, 'teamId' | 'callId' | 'adjustmentId'>): string {
  return Buffer.from(`${teamId} ${callId} ${adjustmentId ?? ''}`).toString('base64url')
}

/** Throws ApiError `invalid_request`. */
function readCursor(cursor: string): SpendPlace & { readonly teamId: string } {
  const match = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127}) ([0-9a-z/-]{1,64}) (.{0,128})$/.exec(
    Buffer.from(cursor, 'base64url').toString(),
  )
  const [, teamId, callId, adjustmentId] = match ?? []
  if (teamId !== undefined && callId !== undefined && adjustmentId !== undefined)
    return { teamId, callId, adjustmentId }
  throw refuseValue('after', 'use the `cursor` of a row.')
}
