// Translates the logbook filter in the address into a query, and applies it to live entries.
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

/** Null for the empty batch that starts the stream. For a batch with only a count, all its entries may match. */
export function countFitting(search: LogbookSearch, batches: readonly EntryBatch[]): number | null {
  if (batches.every(({ count }) => count === 0)) return null
  return batches.reduce(
    (sum, { count, items }) =>
      sum + (items.length === 0 ? count : items.filter(entry => fits(search, entry)).length),
    0,
  )
}

/** Latest arrival first. Null if a batch has only a count for some entries. */
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

/** Ignores case, like the server. */
function isLike(asked: string | undefined, name: string | null): boolean {
  return asked === undefined || asked.toLowerCase() === name?.toLowerCase()
}
