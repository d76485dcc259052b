// Reads from the door, with what was read kept until something says that it changed.
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
import type { Method, QueryValues, RequestFailure } from './request.ts'

/** A GET route with its query, and the type of what it answers. */
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
  /** Milliseconds between two looks; for what no topic tells of. */
  readonly everyMs?: number
  readonly isOff?: boolean
}

/** While another query is read, what the last one answered stays. */
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

/** A list that goes on with `next`; its pages are read one after the other. */
export function useReadPages<Page extends { readonly next: string | null }>(
  read: Read<Page>,
  { isOff = false }: Pick<ReadOptions, 'isOff'> = {},
) {
  const { send } = usePageParts()
  return useInfiniteQuery<Page, RequestFailure, { pages: Page[] }, QueryKey, string | null>({
    queryKey: [...keyOf(read), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      send<Page>('GET', read.path, { query: { ...read.query, after: pageParam }, signal }),
    initialPageParam: null,
    getNextPageParam: page => page.next,
    placeholderData: keepPreviousData,
    enabled: !isOff,
  })
}

export type Act<Body, Reply> = {
  readonly method: Method
  readonly path: string | ((body: Body) => string)
  readonly query?: (body: Body) => QueryValues
  /** Paths whose kept replies this act makes wrong; all where absent. */
  readonly changes?: readonly string[]
  /** Said when it is done, such as "Limits set". */
  readonly done?: string
  readonly reply?: Reply
}

/** Sends something that changes the world; afterwards what is shown of it is read again. */
export function useAct<Body, Reply>({ method, path, query, changes, done }: Act<Body, Reply>) {
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
