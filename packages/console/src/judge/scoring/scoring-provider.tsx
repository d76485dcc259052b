// Holds the judgements of all teams while the page is open: unsaved texts are sent whichever team is shown, also those that an earlier page has kept.
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { usePageParts, useTopic } from '../../live/live-context.tsx'
import { JudgementStore } from './judgement-store.ts'
import { KeptDrafts } from './kept-drafts.ts'

const StoreContext = createContext<JudgementStore | null>(null)

export function useJudgementStore(): JudgementStore {
  const store = useContext(StoreContext)
  if (store === null) throw new Error('This component must be inside a ScoringProvider.')
  return store
}

const judgeKey = 'fairgate-judge'
const deviceKey = 'fairgate-device'

/** Of each open page its own, the same after a reload. A copy of the tab finds no name, because it is stored only when the page is left. */
const device = sessionStorage.getItem(deviceKey) ?? drawName()
sessionStorage.removeItem(deviceKey)
addEventListener('pagehide', () => sessionStorage.setItem(deviceKey, device))
addEventListener('pageshow', () => sessionStorage.removeItem(deviceKey))

/** `crypto.randomUUID` exists only on HTTPS. */
function drawName(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))]
    .map(byte => byte.toString(16).padStart(2, '0'))
    .join('')
}

type Saved = { readonly items: readonly Parameters<JudgementStore['hear']>[0][] }

/** `isPaused`: the session has ended. */
export function ScoringProvider({
  judgeId,
  isPaused,
  children,
}: {
  readonly judgeId: string
  readonly isPaused: boolean
  readonly children: ReactNode
}) {
  const { send } = usePageParts()
  const queries = useQueryClient()
  const [store] = useState(() => {
    localStorage.setItem(judgeKey, judgeId)
    return new JudgementStore({
      send,
      drafts: new KeptDrafts({ storage: localStorage, judgeId, device }),
      device,
      after: (milliseconds, run) => {
        const timer = setTimeout(run, milliseconds)
        return () => clearTimeout(timer)
      },
      isStillSignedIn: () => localStorage.getItem(judgeKey) === judgeId,
      onChanged: () =>
        void queries.invalidateQueries({ predicate: ({ queryKey: [path] }) => isOfLists(path) }),
    })
  })
  useEffect(() => {
    store.resume()
    // The pages of a browser share their session, so that texts of one judge could be saved as those of another.
    const changed = ({ key, newValue }: StorageEvent) => {
      if (key === judgeKey && newValue !== judgeId) location.reload()
    }
    const wake = () => store.wake()
    const flush = () => store.flush()
    const leave = (event: BeforeUnloadEvent) => {
      flush()
      if (store.isAtRisk()) event.preventDefault()
    }
    addEventListener('storage', changed)
    addEventListener('online', wake)
    document.addEventListener('visibilitychange', flush)
    addEventListener('beforeunload', leave)
    return () => {
      removeEventListener('storage', changed)
      removeEventListener('online', wake)
      document.removeEventListener('visibilitychange', flush)
      removeEventListener('beforeunload', leave)
    }
  }, [store, judgeId])
  useEffect(() => store.pause(isPaused), [store, isPaused])
  useTopic<Saved>('judgements', ({ items }) => {
    for (const item of items) store.hear(item)
  })
  return <StoreContext.Provider value={store}>{children}</StoreContext.Provider>
}

/** The queue, dossiers and the order show how far a judgement is. */
function isOfLists(path: unknown): boolean {
  return typeof path === 'string' && /^\/judging\/(queue|teams|order)/.test(path)
}
