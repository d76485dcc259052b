// The judgement of one team for the parts of its screens: the panel, and the entries of a session that can be cited.
import { createContext, type ReactNode, useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import { useTopic } from '../../live/live-context.tsx'
import { type Citations, CitationsContext } from '../citations.tsx'
import { useQueue } from '../queue-context.tsx'
import { type Criterion, type Gate, toggleCite, type Written } from './judgement.ts'
import type { JudgementStore, Shown } from './judgement-store.ts'
import { useJudgementStore } from './scoring-provider.tsx'
import { isFrozen } from './write-behind.ts'

export type Judgement = Shown & {
  readonly team: string
  readonly criteria: readonly Criterion[]
  readonly gates: readonly Gate[]
  readonly canWrite: boolean
  readonly edit: (change: (written: Written) => Written) => void
  readonly store: JudgementStore
}

const JudgementContext = createContext<Judgement | null>(null)

/** Null before the judgement is read, and for a team that the judge does not score. */
export function useJudgement(): Judgement | null {
  return useContext(JudgementContext)
}

/** Mount it with `key={team}`, around everything that shows the team. */
export function JudgementProvider({
  team,
  children,
}: {
  readonly team: string
  readonly children: ReactNode
}) {
  const store = useJudgementStore()
  const { items, criteria, gates, open } = useQueue()
  const isMine = items.some(item => item.team === team)
  const shown = useSyncExternalStore(store.watch, () => store.find(team))
  useEffect(() => {
    if (isMine) store.open(team)
  }, [store, team, isMine])
  useEffect(() => {
    if (open) store.wake()
  }, [store, open])
  // Another device may have written meanwhile.
  useEffect(() => {
    const look = () => {
      if (!document.hidden) store.notice(team)
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [store, team])
  const frozen = shown !== undefined && isFrozen(shown.behind)
  // Others may have finished theirs.
  useTopic(frozen ? 'queue' : null, () => store.notice(team))
  const isRead = isMine && shown !== undefined && shown.behind.server !== null
  const canWrite = isRead && open && !frozen && shown.behind.busy !== 'finish'
  const judgement: Judgement | null =
    isMine && shown !== undefined
      ? { ...shown, team, criteria, gates, canWrite, edit: change => store.edit(team, change), store }
      : null
  const scores = shown?.behind.written.scores
  const citations = useMemo<Citations | null>(
    () =>
      canWrite && scores !== undefined
        ? {
            criteria,
            citedFor: seq =>
              Object.entries(scores).flatMap(([id, { cites }]) => (cites.includes(seq) ? [id] : [])),
            toggle: (seq, id) => store.edit(team, written => toggleCite(written, id, seq)),
          }
        : null,
    [canWrite, criteria, scores, store, team],
  )
  return (
    <JudgementContext.Provider value={judgement}>
      <CitationsContext.Provider value={citations}>{children}</CitationsContext.Provider>
    </JudgementContext.Provider>
  )
}
