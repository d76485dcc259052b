// Hooks that read from the door, cache the replies, and send changes.
import {
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { usePageParts } from '../live/live-context.tsx'
import { useToast } from '../show/toaster.tsx'
import { type MorePages, morePagesOf } from './more-pages.ts'
import type { Method, QueryValues, RequestFailure } from './request.ts'

/** A GET route with its query and the type of its reply. */
export type Read<Reply> = {
  readonly path: string
  readonly query: QueryValues
  /** Never set: it carries the type. */
  readonly reply?: Reply
}

export function readOf<Reply>(path: string, query: QueryValues = {}): Read<Reply> {
  return { path, query }
}

export function keyOf({ path, query }: Pick<Read<unknown>, 'path' | 'query'>): QueryKey {
  return [path, query]
}

type ReadOptions = {
  /** Polling interval in milliseconds, for data that no topic covers. */
  readonly everyMs?: number
  readonly isOff?: boolean
}

/** While a new query loads, the previous reply stays. */
export function useRead<Reply>(read: Read<Reply>, { everyMs, isOff = false }: ReadOptions = {}) {
  const { send } = usePageParts()
  return useQuery<Reply, RequestFailure>({
    queryKey: keyOf(read),
    queryFn: ({ signal }) => send<Reply>('GET', read.path, { query: read.query, signal }),
    placeholderData: keepPreviousData,
    enabled: !isOff,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  })
}

/** Members of a page that say where the list continues. */
type Cursors = {
  readonly next?: string | null
  readonly next_before?: string | null
  readonly next_before_id?: number | null
}

export function nextPageOf({ next, next_before, next_before_id }: Cursors): QueryValues | null {
  const [after, before, before_id] = [next ?? null, next_before ?? null, next_before_id ?? null]
  return after === null && before === null && before_id === null ? null : { after, before, before_id }
}

/** Time until an incomplete list is read again. */
const againMs = 1000

/**
 * A list read page by page: `rows` are those of all pages, `more` loads the next one. `isIncomplete`: true for a first page that the server
 * can still complete, which is then read again.
 */
export function useReadPages<Page extends Cursors & { readonly items: readonly unknown[] }>(
  read: Read<Page>,
  {
    isOff = false,
    isIncomplete = () => false,
  }: Pick<ReadOptions, 'isOff'> & { readonly isIncomplete?: (first: Page) => boolean } = {},
) {
  const { send } = usePageParts()
  const list = useInfiniteQuery<Page, RequestFailure, { pages: Page[] }, QueryKey, QueryValues>({
    queryKey: [...keyOf(read), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      send<Page>('GET', read.path, { query: { ...read.query, ...pageParam }, signal }),
    initialPageParam: {},
    getNextPageParam: nextPageOf,
    placeholderData: keepPreviousData,
    enabled: !isOff,
    refetchInterval: ({ state }) => {
      const first = state.data?.pages[0]
      return first !== undefined && isIncomplete(first) ? againMs : false
    },
  })
  return { ...list, ...rowsOf(list) }
}

/** `first`: the first page, which has the members for the whole list, such as its total. */
export function rowsOf<Page extends { readonly items: readonly unknown[] }>(
  list: { readonly data: { readonly pages: readonly Page[] } | undefined } & Parameters<
    typeof morePagesOf
  >[0],
): {
  readonly rows: readonly Page['items'][number][]
  readonly first: Page | undefined
  readonly more: MorePages | undefined
} {
  const pages = list.data?.pages ?? []
  return { rows: pages.flatMap(({ items }) => items), first: pages[0], more: morePagesOf(list) }
}

export type Action<Body, Reply> = {
  readonly method: Method
  readonly path: string | ((body: Body) => string)
  readonly query?: (body: Body) => QueryValues
  /** Paths with cached replies that become stale; all if absent. */
  readonly changes?: readonly string[]
  /** Toast after success, for example "Limits set". */
  readonly done?: string
  readonly reply?: Reply
}

/** Sends a change, then reloads the data it affects. */
export function useAction<Body, Reply>({ method, path, query, changes, done }: Action<Body, Reply>) {
  const say = useToast()
  const { send } = usePageParts()
  const queries = useQueryClient()
  return useMutation<Reply, RequestFailure, Body>({
    mutationFn: body =>
      send<Reply>(method, typeof path === 'string' ? path : path(body), {
        ...(query === undefined ? {} : { query: query(body) }),
        ...(method === 'DELETE' ? {} : { body }),
      }),
    onSuccess: async () => {
      if (done !== undefined) say({ text: done })
      if (changes === undefined) await queries.invalidateQueries()
      else await Promise.all(changes.map(each => queries.invalidateQueries({ queryKey: [each] })))
    },
  })
}
