// How a paged list goes on: one page at a time, and a page that failed is read again only when somebody asks.
import type { RequestFailure } from './request.ts'

export type MorePages = {
  /** Something of the list is being read; the next page can wait until it is there. */
  readonly isBusy: boolean
  readonly isLoading: boolean
  /** Why the next page did not come; only `load` asks for it again. */
  readonly failure: RequestFailure | null
  readonly load: () => void
}

type PagesRead = {
  readonly hasNextPage: boolean
  readonly isFetching: boolean
  readonly isFetchingNextPage: boolean
  readonly isFetchNextPageError: boolean
  readonly error: RequestFailure | null
  readonly fetchNextPage: () => unknown
}

/** Undefined: the list is whole. */
export function morePagesOf(read: PagesRead): MorePages | undefined {
  if (!read.hasNextPage) return undefined
  return {
    isBusy: read.isFetching,
    isLoading: read.isFetchingNextPage,
    failure: read.isFetchNextPageError ? read.error : null,
    // A second request for the page would cancel the first.
    load: () => {
      if (!read.isFetchingNextPage) void read.fetchNextPage()
    },
  }
}

/** Of two lists that are shown as one. */
export function joinMorePages(
  one: MorePages | undefined,
  other: MorePages | undefined,
): MorePages | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    isBusy: one.isBusy || other.isBusy,
    isLoading: one.isLoading || other.isLoading,
    failure: one.failure ?? other.failure,
    load: () => {
      one.load()
      other.load()
    },
  }
}
