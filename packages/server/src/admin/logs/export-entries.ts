// GET /logs/export.ndjson and /logs/export.csv: stream entries, oldest first within each team, from any position on.
import { exportCsvQuerySchema, exportQuerySchema } from '@fairgate/contracts/management/log-entries.ts'
import type { Static } from 'typebox'
import type { Directory } from '../../directory/create-directory.ts'
import { requireTeam } from '../../directory/refusals.ts'
import type { Call } from '../../http/call.ts'
import { showEntryTo, writeCsvHeader, writeCsvRow, writeEntry } from '../../insight/write-entries.ts'
import type { EntriesReading, LogbookEntry } from '../../logbook/list-entries/create-entries-reader.ts'
import { type AdminRoute, lookupRoute } from '../management-route.ts'
import {
  createCsvFormat,
  createNdjsonFormat,
  csvReply,
  type ExportFormat,
  exportReplyHeaders,
  ndjsonReply,
  streamExport,
} from '../stream-export.ts'
import { type BoardHead, planFeed } from './plan-feed.ts'

export type ExportEntriesDependencies = {
  readonly directory: Pick<Directory, 'findTeam'>
  readonly entries: Pick<EntriesReading, 'readFeed'>
  readonly listBoards: () => Promise<readonly BoardHead[]>
}

type ExportQuery = Static<typeof exportQuerySchema>

const facts = {
  tag: 'Logs',
  openTo: 'judges',
  replyHeaders: exportReplyHeaders,
  errors: ['invalid_request', 'team_not_found', 'unavailable'],
  keepsOpen: true,
} as const
const description =
  'Team by team, in order of their numbers, up to what is stored when the export begins. To use it as a feed, keep the highest `seq` of each ' +
  'team and pass them as `after_seq` next time; no entry is ever skipped, however late it was committed. The reply is sent while ' +
  'it is read from the database; if that fails, the connection is closed early, so that the client sees an error.'

export function exportEntriesRoutes(dependencies: ExportEntriesDependencies): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/logs/export.ndjson',
      summary: 'Export or follow entries, one JSON object per line',
      description: `${description} Each line has the members of an item of \`/logs/entries\`.`,
      query: exportQuerySchema,
      reply: ndjsonReply,
      look: (query, call, { role }) => {
        const format = createNdjsonFormat((entry: LogbookEntry) => writeEntry(showEntryTo(role, entry)))
        return exportEntries(dependencies, format, query, call)
      },
    }),
    lookupRoute({
      ...facts,
      path: '/logs/export.csv',
      summary: 'Export entries as CSV',
      description:
        `${description} The first line names the columns. Cells that a spreadsheet could take for a formula, and those that begin with an ` +
        'apostrophe, have an apostrophe in front: remove one from each cell that begins with one. The last column, `entry`, is ' +
        'the stored JSON, byte for byte.',
      query: exportCsvQuerySchema,
      reply: csvReply,
      look: (query, call, { role }) => {
        const writeRow = (entry: LogbookEntry) => writeCsvRow(showEntryTo(role, entry))
        return exportEntries(
          dependencies,
          createCsvFormat(writeCsvHeader(), writeRow, query.bom),
          query,
          call,
        )
      },
    }),
  ]
}

async function exportEntries(
  { directory, entries, listBoards }: ExportEntriesDependencies,
  format: ExportFormat<LogbookEntry>,
  query: ExportQuery,
  call: Call,
): Promise<Response> {
  if (query.team_id !== undefined) requireTeam(directory, query.team_id)
  const isTeam = (teamId: string) => directory.findTeam(teamId) !== undefined
  const ranges = planFeed(await listBoards(), isTeam, query)
  const steps = entries.readFeed(ranges, query)
  return await streamExport(call, format, { what: 'entries', teamId: query.team_id ?? null, steps })
}
