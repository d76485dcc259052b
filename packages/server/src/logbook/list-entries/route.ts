// GET /api/ingest/entries: a team reads its own entries, newest first; a locked board makes no difference (spec 4.2).
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import {
  type EntriesPage,
  entriesPageSchema,
  entriesQuerySchema,
  type StoredEntry,
} from '@fairgate/contracts/logbook/entries-page.ts'
import { defaultPageSize, maximumPageBytes, maximumPageSize } from '@fairgate/contracts/logbook/limits.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { EntryRow } from '../../store/statements/list-entries.ts'
import type { Store } from '../../store/store.ts'
import { parseTimestamp } from '../accept-entries/parse-timestamp.ts'
import { type LogTokenCaller, teamHeader } from '../authenticate-log-token.ts'
import { buildFilterKeys } from '../filter-keys.ts'
import { formatMicroseconds } from '../parse-instant.ts'
import type { PageQuery } from './create-entries-reader.ts'
import { formatCursor, parseBefore } from './cursor.ts'

export type ListEntriesDependencies = Pick<Store['read'], 'readEntriesPage'>

export function listEntriesRoute(dependencies: ListEntriesDependencies): Route<LogTokenCaller> {
  return defineRoute<LogTokenCaller, undefined, typeof entriesQuerySchema>({
    method: 'GET',
    path: '/api/ingest/entries',
    tag: 'Entries',
    summary: "Read the team's entries, newest first",
    description:
      'To get the next page, pass `next_before` as `before` and keep the other parameters. Each entry is returned exactly once, ' +
      'even if many have the same time. A page may be shorter than `limit` when its entries are large. ' +
      'The response header `x-gateway-team` names the team that the log token belongs to.',
    query: entriesQuerySchema,
    replies: { 200: entriesPageSchema },
    replyHeaders: ['cache-control', 'x-gateway-team'],
    errors: ['unauthorized', 'invalid_request', 'unavailable'],
    handle: async (caller, context) => {
      context.keepOpen()
      const page = await readPage(dependencies, caller.teamId, context.query)
      context.note({ team_id: caller.teamId, items: page.items.length })
      const headers = { 'cache-control': 'no-store', [teamHeader]: caller.teamId }
      return Response.json(page, { headers })
    },
  })
}

/** Throws ApiError `invalid_request` if `before` is not a time, `unavailable` (503) if the store cannot be read. */
async function readPage(
  { readEntriesPage }: ListEntriesDependencies,
  teamId: string,
  query: PageQuery,
): Promise<EntriesPage> {
  const { limit = defaultPageSize, before = '' } = query
  const input = {
    teamId,
    limit: Math.min(limit, maximumPageSize),
    maximumBytes: maximumPageBytes,
    before: parseBefore(before),
    ...buildFilterKeys(query),
  }
  const { rows, hasMore } = await readEntriesPage(input).catch((cause: unknown) => {
    throw unavailable(5, cause)
  })
  const last = rows.at(-1)
  return {
    items: rows.map(buildStoredEntry),
    next_before: hasMore && last !== undefined ? formatCursor(last) : null,
  }
}

/** Exactly the members of spec 2.11, null if there is no value. */
function buildStoredEntry(row: Pick<EntryRow, 'body' | 'tsMicros' | 'receivedMicros'>): StoredEntry {
  // Entries were checked when they were stored, and their chain shows any later change.
  const entry = JSON.parse(row.body) as Omit<StoredEntry, 'received_at'>
  return {
    ts: parseTimestamp(entry.ts)?.utcText ?? formatMicroseconds(row.tsMicros),
    tool: entry.tool.toLowerCase(),
    event: entry.event,
    session_id: entry.session_id,
    repo: entry.repo,
    branch: entry.branch,
    commit: entry.commit,
    student: entry.student,
    model: entry.model ?? null,
    prompt: entry.prompt ?? null,
    tool_name: entry.tool_name ?? null,
    tool_input: entry.tool_input ?? null,
    tool_response: entry.tool_response ?? null,
    tool_error: entry.tool_error ?? null,
    response_summary: entry.response_summary ?? null,
    stop_reason: entry.stop_reason ?? null,
    received_at: formatMicroseconds(row.receivedMicros),
  }
}
