// State of a paged list's next page. Pages load one at a time, and a failed page is only retried on request.
import type { RequestFailure } from './request.ts'

export type MorePages = {
  /** True while any part of the list loads; the next page can wait for it. */
  readonly isBusy: boolean
  readonly isLoading: boolean
  /** The error of the next page; only `load` retries it. */
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

/** Undefined if the list is complete. */
export function morePagesOf(read: PagesRead): MorePages | undefined {
  if (!read.hasNextPage) return undefined
  return {
    isBusy: read.isFetching,
    isLoading: read.isFetchingNextPage,
    failure: read.isFetchNextPageError ? read.error : null,
    // A second request for the same page would cancel the first.
    load: () => {
      if (!read.isFetchingNextPage) void read.fetchNextPage()
    },
  }
}

/** Combines two lists that are shown as one. */
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
