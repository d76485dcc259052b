// A paged list, newest first, that adds new rows from a topic unless the reader has paused it or scrolled down.

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { QueryValues, RequestFailure } from '../api/request.ts'
import { nextPageOf, rowsOf } from '../api/use-read.ts'
import { useReadAgain } from '../api/use-read-again.ts'
import { useHotkeys } from '../frame/hotkeys.tsx'
import { usePageParts, useTopic } from './live-context.tsx'

type PageBase<Row> = { readonly items: readonly Row[]; readonly next_before: string | null }

export type FollowedList<Row, Data> = {
  readonly path: string
  readonly filter: QueryValues
  readonly pageSize: number
  readonly topic: string
  readonly idOf: (row: Row) => string
  /** Returns how many new rows belong to the list. Null if following has just begun and earlier rows may be missing. */
  readonly countFresh: (data: Data) => number | null
  /**
   * Returns the rows themselves, the last arrival first, if the list is in another order than arrival. They stay on top until the list is read
   * again. Null if the event did not include them; the list is then read again.
   */
  readonly takeArrived?: (data: Data) => readonly Row[] | null
  /** True while a row is open, so that nothing moves. */
  readonly isBusy?: boolean
}

/** `held`: rows not shown yet; null if for some of them only the number is known. */
type Coming<Row> = {
  readonly of: string
  readonly waiting: number
  readonly held: readonly Row[] | null
  readonly arrived: readonly Row[]
}

/** Max arrived rows kept; older ones are in the list itself when it is read again. */
const maxArrived = 500

export function useFollowedList<Row, Page extends PageBase<Row>, Data>(list: FollowedList<Row, Data>) {
  const { path, filter, pageSize, topic, idOf, countFresh, takeArrived, isBusy = false } = list
  const { send } = usePageParts()
  const queries = useQueryClient()
  const refresh = useReadAgain()
  const [isFollowing, setFollowing] = useState(true)
  const of = JSON.stringify([topic, filter])
  const none: Coming<Row> = { of, waiting: 0, held: [], arrived: [] }
  const [last, setComing] = useState(none)
  // Rows that arrived for another filter do not belong to this list.
  const coming = last.of === of ? last : none
  const queryKey = [path, filter, 'pages']
  const read = useInfiniteQuery<Page, RequestFailure, { pages: Page[] }, readonly unknown[], QueryValues>({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      send<Page>('GET', path, { query: { ...filter, limit: pageSize, ...pageParam }, signal }),
    initialPageParam: {},
    getNextPageParam: nextPageOf,
  })
  const readAgain = () => {
    // Only the newest page is read again, because older pages do not change.
    queries.setQueryData<{ pages: Page[]; pageParams: QueryValues[] }>(queryKey, old =>
      old === undefined ? old : { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
    )
    refresh([queryKey])
  }
  const showWaiting = () => {
    const { held, arrived } = coming
    setComing({ ...none, arrived: held === null ? [] : [...held, ...arrived].slice(0, maxArrived) })
    if (takeArrived === undefined || held === null) readAgain()
  }
  useTopic<Data>(topic, data => {
    const fresh = countFresh(data)
    if (fresh === 0) return
    const rows = takeArrived === undefined || fresh === null ? null : takeArrived(data)
    // Nothing moves for a reader who has scrolled down.
    const isAtTop = (document.querySelector('.table-window')?.scrollTop ?? 0) < 8
    if (isFollowing && isAtTop && !isBusy) {
      setComing({ ...none, arrived: rows === null ? [] : [...rows, ...coming.arrived].slice(0, maxArrived) })
      if (rows === null) readAgain()
    } else if (fresh !== null) {
      const held = rows === null || coming.held === null ? null : [...rows, ...coming.held]
      setComing({ ...coming, waiting: coming.waiting + fresh, held })
    }
  })
  useHotkeys([
    {
      keys: 'f',
      does: isFollowing ? 'Pause the list' : 'Follow the list',
      run: () => setFollowing(!isFollowing),
    },
  ])
  const { waiting, arrived } = coming
  const ids = new Set(arrived.map(idOf))
  const { rows: pages, more } = rowsOf(read)
  const rows = arrived.length === 0 ? pages : [...arrived, ...pages.filter(row => !ids.has(idOf(row)))]
  return { read, rows, more, isFollowing, setFollowing, waiting, showWaiting }
}
