// Provides the live stream, requests and the server's clock to all components of a page.
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { SendRequest } from '../api/request.ts'
import { useReadAgain } from '../api/use-read-again.ts'
import type { LiveState, LiveStream } from './live-stream.ts'

export type PageParts = {
  readonly send: SendRequest
  readonly live: LiveStream
}

const PagePartsContext = createContext<PageParts | null>(null)

export function PagePartsProvider({
  parts,
  children,
}: {
  readonly parts: PageParts
  readonly children: ReactNode
}) {
  return <PagePartsContext.Provider value={parts}>{children}</PagePartsContext.Provider>
}

export function usePageParts(): PageParts {
  const parts = useContext(PagePartsContext)
  if (parts === null) throw new Error('This component must be inside a page.')
  return parts
}

export function useLiveState(): LiveState {
  const { live } = usePageParts()
  return useSyncExternalStore(live.watch, live.state)
}

/** Topics that the server refuses to the reader: one of them would end the connection of all. */
export const MayFollowContext = createContext<(topic: string) => boolean>(() => true)

/** Listens to a topic's events while the component is mounted. Null, or a topic that the reader may not follow: listens to nothing. */
export function useTopic<Data>(asked: string | null, listener: (data: Data) => void): void {
  const { live } = usePageParts()
  const mayFollow = useContext(MayFollowContext)
  const topic = asked !== null && mayFollow(asked) ? asked : null
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => {
    if (topic === null) return
    return live.listen(topic, data => latest.current(data as Data))
  }, [live, topic])
}

/** Reloads `keys` on an event of the topic, at most every `leastMs`. */
export function useRefresh(
  topic: string | null,
  keys: readonly (readonly unknown[])[],
  leastMs = 1000,
): void {
  const readAgain = useReadAgain(leastMs)
  useTopic(topic, () => readAgain(keys))
}

/** The server's clock in Unix ms; the component renders again every `everyMs`. */
export function useServerNow(everyMs = 1000): number {
  const { live } = usePageParts()
  const [now, setNow] = useState(live.serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(live.serverNow()), everyMs)
    return () => clearInterval(timer)
  }, [live, everyMs])
  return now
}
