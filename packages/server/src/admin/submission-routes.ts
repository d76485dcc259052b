// Routes for what teams hand in: GET /submissions, its exports, one team's submission and its files.
import {
  submissionExportQuerySchema,
  submissionListSchema,
  submissionsQuerySchema,
  teamSubmissionQuerySchema,
  teamSubmissionSchema,
} from '@fairgate/contracts/console/submissions.ts'
import Type from 'typebox'
import { requireTeam } from '../directory/refusals.ts'
import type { Call } from '../http/call.ts'
import { writeCell } from '../http/write-cell.ts'
import type { ExportedSubmission } from '../submissions/submission-service.ts'
import { type AdminRoute, lookupRoute, type Management } from './management-route.ts'
import {
  createCsvFormat,
  createNdjsonFormat,
  csvReply,
  type ExportFormat,
  exportReplyHeaders,
  ndjsonReply,
  streamExport,
} from './stream-export.ts'

const facts = { tag: 'Submissions', openTo: 'organisers' } as const
const exportFacts = {
  ...facts,
  replyHeaders: exportReplyHeaders,
  errors: ['invalid_request', 'unavailable'],
  keepsOpen: true,
} as const

export function submissionRoutes({ submissions, directory }: Management): AdminRoute[] {
  const exportAll = (call: Call, format: ExportFormat<ExportedSubmission>) =>
    streamExport(call, format, { what: 'submissions', teamId: null, steps: readOnce() })
  async function* readOnce() {
    yield await submissions.exportRows()
  }
  return [
    lookupRoute({
      ...facts,
      path: '/submissions',
      summary: 'List what teams have handed in, and which teams have not',
      query: submissionsQuerySchema,
      reply: submissionListSchema,
      errors: ['invalid_request', 'unavailable'],
      isStrict: true,
      look: ({ state }) => submissions.list(state),
    }),
    lookupRoute({
      ...exportFacts,
      path: '/submissions/export.ndjson',
      summary: 'Export submissions, one JSON object per line',
      description: 'The rows of `GET /submissions` with summaries and disclosures.',
      reply: ndjsonReply,
      look: (_query, call) =>
        exportAll(
          call,
          createNdjsonFormat(row => JSON.stringify(row)),
        ),
    }),
    lookupRoute({
      ...exportFacts,
      path: '/submissions/export.csv',
      summary: 'Export submissions as CSV',
      description:
        'One row per team. Cells that a spreadsheet could take for a formula have an apostrophe in front.',
      query: submissionExportQuerySchema,
      reply: csvReply,
      look: ({ bom }, call) => exportAll(call, createCsvFormat(writeRow(columns), writeSubmission, bom)),
    }),
    lookupRoute({
      ...facts,
      path: '/submissions/:team_id',
      summary: "Get a team's submission with all its versions",
      query: teamSubmissionQuerySchema,
      reply: teamSubmissionSchema,
      errors: ['invalid_request', 'team_not_found', 'submission_not_found', 'unavailable'],
      isStrict: true,
      look: ({ version }, { params: { team_id: teamId = '' } }) =>
        submissions.readTeam(teamId, version ?? null),
    }),
    lookupRoute({
      ...facts,
      path: '/submissions/:team_id/files/:file_id',
      summary: 'Download a file that a team has handed in',
      reply: Type.String({ description: 'The file', contentMediaType: 'application/octet-stream' }),
      replyHeaders: ['content-disposition', 'cache-control'],
      errors: ['team_not_found', 'file_not_found', 'unavailable'],
      keepsOpen: true,
      look: (_query, { params: { team_id: teamId = '', file_id: fileId = '' }, request }) => {
        requireTeam(directory, teamId)
        return submissions.download(teamId, fileId, request.signal)
      },
    }),
  ]
}

const columns = [
  'team_id',
  'team_alias',
  'state',
  'version',
  'first_at',
  'handed_in_at',
  'person',
  'title',
  'summary',
  'repository',
  'commit',
  'demo_url',
  'video_url',
  'disclosure',
  'files',
] as const satisfies readonly (keyof ExportedSubmission)[]

function writeSubmission(row: ExportedSubmission): string {
  return writeRow(columns.map(name => String(row[name] ?? '')))
}

function writeRow(cells: readonly string[]): string {
  return `${cells.map(cell => writeCell(cell.replaceAll('\0', '\ufffd'))).join(',')}\r\n`
}
