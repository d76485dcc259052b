// The filter of log entries between the address, the server and what arrives live.
import type { LogbookLine, LogbookQuery } from '@fairgate/contracts/console/logbook.ts'

export type LogbookSearch = {
  readonly team?: string | undefined
  readonly tool?: string | undefined
  readonly event?: string | undefined
}

export type EntryBatch = { readonly count: number; readonly items: readonly LogbookLine[] }

export function toLogbookQuery({ team, tool, event }: LogbookSearch): LogbookQuery {
  return {
    ...(team === undefined ? {} : { team_id: team }),
    ...(tool === undefined ? {} : { tool }),
    ...(event === undefined ? {} : { event }),
  }
}

export function isFiltered({ team, tool, event }: LogbookSearch): boolean {
  return team !== undefined || tool !== undefined || event !== undefined
}

/** Null for the batch with which the following begins. Entries that are told by their number alone may all fit. */
export function countFitting(search: LogbookSearch, batches: readonly EntryBatch[]): number | null {
  if (batches.every(({ count }) => count === 0)) return null
  return batches.reduce(
    (sum, { count, items }) =>
      sum + (items.length === 0 ? count : items.filter(entry => fits(search, entry)).length),
    0,
  )
}

/** The one that came last first. Null where some were told by their number alone. */
export function takeFitting(
  search: LogbookSearch,
  batches: readonly EntryBatch[],
): readonly LogbookLine[] | null {
  if (batches.some(({ count, items }) => items.length < count)) return null
  return batches.toReversed().flatMap(({ items }) => items.filter(entry => fits(search, entry)))
}

function fits({ tool, event }: LogbookSearch, entry: LogbookLine): boolean {
  return isLike(tool, entry.tool) && isLike(event, entry.event)
}

/** The server does not look at capitals either. */
function isLike(asked: string | undefined, name: string | null): boolean {
  return asked === undefined || asked.toLowerCase() === name?.toLowerCase()
}
