// A list of pages, the newest first, that is read again when a topic tells of more, unless its reader holds it or is further down.
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { QueryValues, RequestFailure } from '../api/request.ts'
import { useHotkeys } from '../frame/hotkeys.tsx'
import { usePageParts, useTopic } from './live-context.tsx'

type PageBase = { readonly next_before: string | null }

export type FollowedList<Data> = {
  readonly path: string
  readonly filter: QueryValues
  readonly pageSize: number
  readonly topic: string
  /** How many of what has come belong to the list. Null: the following has just begun, and what came before may be missing. */
  readonly countFresh: (data: Data) => number | null
  /** One of the rows is being looked at: nothing may move. */
  readonly isBusy?: boolean
}

export function useFollowedList<Page extends PageBase, Data>(list: FollowedList<Data>) {
  const { path, filter, pageSize, topic, countFresh, isBusy = false } = list
  const { send } = usePageParts()
  const queries = useQueryClient()
  const [isFollowing, setFollowing] = useState(true)
  const [waiting, setWaiting] = useState(0)
  const queryKey = [path, filter, 'pages']
  const read = useInfiniteQuery<Page, RequestFailure, { pages: Page[] }, readonly unknown[], string | null>({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      send<Page>('GET', path, { query: { ...filter, limit: pageSize, before: pageParam }, signal }),
    initialPageParam: null,
    getNextPageParam: page => page.next_before,
  })
  const refresh = () => {
    setWaiting(0)
    // Only the newest page is read again: the older ones do not change.
    queries.setQueryData<{ pages: Page[]; pageParams: (string | null)[] }>(queryKey, old =>
      old === undefined ? old : { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
    )
    void queries.invalidateQueries({ queryKey })
  }
  useTopic<Data>(topic, data => {
    const fresh = countFresh(data)
    if (fresh === 0) return
    // Nothing moves under a reader who is further down.
    const isAtTop = (document.querySelector('.table-window')?.scrollTop ?? 0) < 8
    if (isFollowing && isAtTop && !isBusy) refresh()
    else setWaiting(waiting + (fresh ?? 0))
  })
  useHotkeys([
    {
      keys: 'f',
      does: isFollowing ? 'Hold the list' : 'Follow the list',
      run: () => setFollowing(!isFollowing),
    },
  ])
  return { read, isFollowing, setFollowing, waiting, refresh }
}
