// Reads the items of a session: pages in both directions from the reader's entry point, and live items.
import type { SessionItem, SessionItemsReply } from '@fairgate/contracts/console/session-view.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { QueryValues, RequestFailure } from '../api/request.ts'
import { usePageParts, useTopic } from '../live/live-context.tsx'
import { mergeItems } from './arrange-items.ts'
import { useSessionSource } from './session-source.tsx'

const pageSize = 100
/** Max pages in memory. Distant pages are dropped, and read again when the reader comes back. */
const maxPagesKept = 8

export function sessionTopic(team: string, session: string, tool: string | undefined): string {
  const name = `session:${encodeURIComponent(team)}/${encodeURIComponent(session)}`
  return tool === undefined ? name : `${name}?tool=${encodeURIComponent(tool)}`
}

/** Live items since the screen was opened. Subscribes from the start, because the stream sends the newest items at once. */
export function useLiveItems(
  team: string,
  session: string,
  tool: string | undefined,
): readonly SessionItem[] {
  const topic = sessionTopic(team, session, tool)
  const [live, setLive] = useState<readonly SessionItem[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session has other items.
  useEffect(() => setLive([]), [topic])
  useTopic<{ readonly items: readonly SessionItem[] }>(topic, ({ items }) =>
    setLive(known => mergeItems(known, items)),
  )
  return live
}

export function useSessionItems({
  team,
  session,
  tool,
  around,
  live,
}: {
  readonly live: readonly SessionItem[]
  readonly team: string
  readonly session: string
  readonly tool: string | undefined
  readonly around: number | null
}) {
  const { send } = usePageParts()
  const path = useSessionSource().sessionPath(team, session)
  const pages = useInfiniteQuery<
    SessionItemsReply,
    RequestFailure,
    { pages: SessionItemsReply[] },
    readonly unknown[],
    QueryValues
  >({
    queryKey: [`${path}/items`, { tool, around }],
    queryFn: ({ pageParam, signal }) =>
      send<SessionItemsReply>('GET', `${path}/items`, {
        query: { tool, limit: pageSize, ...pageParam },
        signal,
      }),
    initialPageParam: around === null ? {} : { around },
    getNextPageParam: ({ next }) => (next === null ? undefined : { after: next }),
    getPreviousPageParam: ({ previous }) => (previous === null ? undefined : { before: previous }),
    maxPages: maxPagesKept,
    // New items come live, so pages are never all refetched.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const isLastThere = pages.data !== undefined && !pages.hasNextPage
  const items = useMemo(() => {
    const read = pages.data?.pages.flatMap(page => page.items) ?? []
    const first = read[0]
    // If the last page is not loaded, a live item would follow a gap. A late entry from long ago belongs on an earlier page.
    const fitting = live.filter(
      ({ at, ref }) =>
        read.some(item => item.ref === ref) ||
        ((isLastThere || at < (read.at(-1)?.at ?? '')) &&
          (first === undefined || !pages.hasPreviousPage || at > first.at)),
    )
    // Pages say how a call was matched; the stream does not.
    return mergeItems(fitting, read)
  }, [pages.data, live, isLastThere, pages.hasPreviousPage])
  return { pages, items, isFirstThere: pages.data !== undefined && !pages.hasPreviousPage, isLastThere }
}
