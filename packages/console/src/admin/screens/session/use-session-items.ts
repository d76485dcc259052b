// The items of a session: pages in both directions from where the reader came in, and what comes live.
import type { SessionItem, SessionItemsReply } from '@fairgate/contracts/console/session-view.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { QueryValues, RequestFailure } from '../../../api/request.ts'
import { usePageParts, useTopic } from '../../../live/live-context.tsx'
import { mergeItems } from './arrange-items.ts'

const pageSize = 100
/** Pages far behind the reader are forgotten, and read again when they come back. */
const mostPages = 8

export function sessionTopic(team: string, session: string, tool: string | undefined): string {
  const name = `session:${encodeURIComponent(team)}/${encodeURIComponent(session)}`
  return tool === undefined ? name : `${name}?tool=${encodeURIComponent(tool)}`
}

/** What the stream has told of the session since the screen was opened. It tells of the newest at once, so it is heard from the start. */
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
  const path = `/sessions/${encodeURIComponent(team)}/${encodeURIComponent(session)}`
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
    maxPages: mostPages,
    // What is new comes live; all pages are never read again at once.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const isLastThere = pages.data !== undefined && !pages.hasNextPage
  const items = useMemo(() => {
    const read = pages.data?.pages.flatMap(page => page.items) ?? []
    const first = read[0]
    // Where the last page has not been read, a live item would stand behind a hole. An entry of long ago that came late has its place above.
    const fitting = live.filter(
      ({ at, ref }) =>
        read.some(item => item.ref === ref) ||
        ((isLastThere || at < (read.at(-1)?.at ?? '')) &&
          (first === undefined || !pages.hasPreviousPage || at > first.at)),
    )
    // A page tells how a call was joined, and the stream does not.
    return mergeItems(fitting, read)
  }, [pages.data, live, isLastThere, pages.hasPreviousPage])
  return { pages, items, isFirstThere: pages.data !== undefined && !pages.hasPreviousPage, isLastThere }
}
