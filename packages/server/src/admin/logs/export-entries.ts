// GET /logs/export.ndjson and /logs/export.csv: entries as a stream, oldest first within each team, from any place on.
import { exportCsvQuerySchema, exportQuerySchema } from '@fairgate/contracts/management/log-entries.ts'
import Type, { type Static } from 'typebox'
import type { Directory } from '../../directory/create-directory.ts'
import { requireTeam } from '../../directory/refusals.ts'
import type { Call } from '../../http/call.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { serverSentEventsResponse } from '../../http/server-sent-events.ts'
import type { AdminCaller } from '../authenticate-admin.ts'
import type { EntriesReading, LogbookEntry } from './entries-port.ts'
import { type BoardHead, planFeed } from './plan-feed.ts'
import { writeCsvHeader, writeCsvRow, writeEntry } from './write-entries.ts'

export type ExportEntriesDependencies = {
  readonly directory: Pick<Directory, 'findTeam'>
  readonly entries: Pick<EntriesReading, 'readFeed'>
  readonly listBoards: () => Promise<readonly BoardHead[]>
}

type Format = {
  readonly mediaType: string
  readonly extension: string
  readonly header: string
  readonly write: (entry: LogbookEntry) => string
}

type ExportQuery = Static<typeof exportQuerySchema>

const ndjsonType = 'application/x-ndjson'
const csvType = 'text/csv'

const description =
  'Team by team, in the order of their numbers, up to what is stored when the export begins. As a feed: keep the highest `seq` of each ' +
  'team and pass them as `after_seq` the next time; no entry is ever skipped, however late it was committed. The reply is sent as ' +
  'it is read from the database; one that could not be sent whole is broken off, so that the client sees an error.'
const errors = ['admin_unauthorized', 'invalid_request', 'team_not_found', 'unavailable'] as const

export function exportEntriesRoutes(dependencies: ExportEntriesDependencies): Route<AdminCaller>[] {
  const ndjson: Format = {
    mediaType: ndjsonType,
    extension: 'ndjson',
    header: '',
    write: entry => `${writeEntry(entry)}\n`,
  }
  const csv = { mediaType: `${csvType}; charset=utf-8; header=present`, extension: 'csv', write: writeCsvRow }
  const exportHeaders = ['cache-control', 'content-disposition', 'x-accel-buffering'] as const
  return [
    defineRoute<AdminCaller, undefined, typeof exportQuerySchema>({
      method: 'GET',
      path: '/logs/export.ndjson',
      tag,
      summary: 'Export entries, or follow them, as one JSON object a line',
      description: `${description} Each line has the members of an item of \`/logs/entries\`.`,
      query: exportQuerySchema,
      replies: { 200: Type.String({ description: 'One JSON object a line', contentMediaType: ndjsonType }) },
      replyHeaders: exportHeaders,
      errors,
      handle: (_caller, context) => exportEntries(dependencies, ndjson, context),
    }),
    defineRoute<AdminCaller, undefined, typeof exportCsvQuerySchema>({
      method: 'GET',
      path: '/logs/export.csv',
      tag,
      summary: 'Export entries as CSV',
      description:
        `${description} The first line names the columns. Cells that a spreadsheet could take for a formula, and those that begin with an ` +
        'apostrophe, have an apostrophe in front: take one away from each cell that begins with one. The last column, `entry`, is ' +
        'the stored JSON, byte for byte.',
      query: exportCsvQuerySchema,
      replies: { 200: Type.String({ description: 'CSV as of RFC 4180', contentMediaType: csvType }) },
      replyHeaders: exportHeaders,
      errors,
      handle: (_caller, context) => {
        const header = `${context.query.bom === true ? '\ufeff' : ''}${writeCsvHeader()}`
        return exportEntries(dependencies, { ...csv, header }, context)
      },
    }),
  ]
}

const tag = 'Logs'

async function exportEntries(
  { directory, entries, listBoards }: ExportEntriesDependencies,
  format: Format,
  call: Call<unknown, ExportQuery>,
): Promise<Response> {
  const { query } = call
  if (query.team_id !== undefined) requireTeam(directory, query.team_id)
  call.keepOpen()
  const isTeam = (teamId: string) => directory.findTeam(teamId) !== undefined
  const ranges = planFeed(await listBoards(), isTeam, query)
  const feed = entries.readFeed(ranges, query)
  // The first step comes before the reply begins, so that a store that cannot be read can still be answered as such.
  const first = await feed.next()
  const facts = { format: format.extension, team_id: query.team_id ?? null }
  let written = 0
  call.note({ ...facts, items: written })

  async function* write(): AsyncGenerator<string, void> {
    try {
      if (format.header !== '') yield format.header
      for (let step = first; step.done !== true; step = await feed.next()) {
        written += step.value.length
        if (step.value.length > 0) yield step.value.map(format.write).join('')
      }
    } catch (error) {
      call.note({ error: 'export_broken' })
      throw error
    } finally {
      call.note({ ...facts, items: written })
      await feed.return()
    }
  }
  const name = `fairgate-entries${query.team_id === undefined ? '' : `-${query.team_id}`}.${format.extension}`
  return serverSentEventsResponse(write(), {
    headers: {
      'content-type': format.mediaType,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  })
}
