// Reads one page of a team's entries and says where the next one begins (spec 4.2).
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { EntriesPage } from '@fairgate/contracts/logbook/entries-page.ts'
import { defaultPageSize, maximumPageBytes, maximumPageSize } from '@fairgate/contracts/logbook/limits.ts'
import type { EntriesRead, ReadEntriesPageInput } from '../../store/statements/list-entries.ts'
import { buildStoredEntry } from './build-stored-entry.ts'
import { formatCursor, parseBefore } from './cursor.ts'
import { buildFilterKeys, type FilterQuery } from './page-filter.ts'

export type PageQuery = FilterQuery & { readonly limit?: number; readonly before?: string }

/** Throws ApiError `invalid_request` for a `before` that is no time, `unavailable` (503) when the store cannot be read. */
export async function readPage(
  readEntriesPage: (input: ReadEntriesPageInput) => Promise<EntriesRead>,
  teamId: string,
  query: PageQuery,
): Promise<EntriesPage> {
  const { limit = defaultPageSize, before = '' } = query
  const input: ReadEntriesPageInput = {
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
