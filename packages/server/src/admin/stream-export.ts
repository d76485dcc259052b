// Streams the admin door's exports as JSON lines or CSV, no faster than the client reads, and closes the connection early if reading fails.
import Type from 'typebox'
import type { Call } from '../http/call.ts'
import { serverSentEventsResponse } from '../http/server-sent-events.ts'

const ndjsonType = 'application/x-ndjson'
const csvType = 'text/csv'

export const exportReplyHeaders = ['cache-control', 'content-disposition', 'x-accel-buffering'] as const
export const ndjsonReply = Type.String({
  description: 'One JSON object per line',
  contentMediaType: ndjsonType,
})
export const csvReply = Type.String({ description: 'CSV according to RFC 4180', contentMediaType: csvType })

export type ExportFormat<Row> = {
  readonly mediaType: string
  readonly extension: string
  readonly header: string
  /** Returns the row with its line ending. */
  readonly write: (row: Row) => string
}

export function createNdjsonFormat<Row>(writeObject: (row: Row) => string): ExportFormat<Row> {
  return {
    mediaType: ndjsonType,
    extension: 'ndjson',
    header: '',
    write: row => `${writeObject(row)}\n`,
  }
}

/** `bom`: for spreadsheets that take a file without a byte order mark for Latin-1. */
export function createCsvFormat<Row>(
  header: string,
  write: (row: Row) => string,
  bom: boolean | undefined,
): ExportFormat<Row> {
  return {
    mediaType: `${csvType}; charset=utf-8; header=present`,
    extension: 'csv',
    header: `${bom === true ? '\ufeff' : ''}${header}`,
    write,
  }
}

/** `steps`: batches of rows from the database. `what` and `teamId` name the file. */
export async function streamExport<Row>(
  call: Call,
  format: ExportFormat<Row>,
  {
    what,
    teamId,
    steps,
  }: { what: string; teamId: string | null; steps: AsyncGenerator<readonly Row[], void> },
): Promise<Response> {
  // The first step is read before the reply begins, so that a failing store can still get a proper error reply.
  const first = await steps.next()
  const facts = { format: format.extension, team_id: teamId }
  let written = 0
  call.note({ ...facts, items: written })

  async function* write(): AsyncGenerator<string, void> {
    try {
      if (format.header !== '') yield format.header
      for (let step = first; step.done !== true; step = await steps.next()) {
        written += step.value.length
        if (step.value.length > 0) yield step.value.map(format.write).join('')
      }
    } catch (error) {
      call.note({ error: 'export_broken' })
      throw error
    } finally {
      call.note({ ...facts, items: written })
      await steps.return()
    }
  }
  const name = `fairgate-${what}${teamId === null ? '' : `-${teamId}`}.${format.extension}`
  return serverSentEventsResponse(write(), {
    headers: {
      'content-type': format.mediaType,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  })
}
