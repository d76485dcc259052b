// Shares the judge's queue with all screens: read once, then again whenever the live stream reports a change.
import type { QueueItem, QueueReply } from '@fairgate/contracts/judging/reading.ts'
import { createContext, type ReactNode, useContext } from 'react'
import { readOf, useRead } from '../api/use-read.ts'
import { useRefresh } from '../live/live-context.tsx'
import { Empty, PartError, Waiting } from '../show/states.tsx'
import { ZoneContext } from '../show/zone-context.tsx'

const QueueContext = createContext<QueueReply | null>(null)

export function QueueProvider({ children }: { readonly children: ReactNode }) {
  const queue = useRead(readOf<QueueReply>('/judging/queue'))
  useRefresh('queue', [['/judging/queue']])
  useRefresh('judgements', [['/judging/queue']])
  useRefresh('sessions', [['/judging/queue']], 10_000)
  if (queue.data === undefined) {
    if (queue.error !== null && queue.error.status !== 401)
      return (
        <Empty>
          <PartError what="Your list of teams" failure={queue.error} retry={() => void queue.refetch()} />
        </Empty>
      )
    return <Waiting what="Your list of teams" retry={() => void queue.refetch()} lines={4} height={56} />
  }
  return (
    <QueueContext.Provider value={queue.data}>
      <ZoneContext.Provider value={queue.data.event.time_zone}>{children}</ZoneContext.Provider>
    </QueueContext.Provider>
  )
}

export function useQueue(): QueueReply {
  const queue = useContext(QueueContext)
  if (queue === null) throw new Error('This component must be inside the page of a judge.')
  return queue
}

export function isRead({ state }: Pick<QueueItem, 'state'>): boolean {
  return state === 'done' || state === 'unable'
}

/** The team's name as this judge knows it. */
export function useTeamName(team: string): string {
  const { items, blind } = useQueue()
  return items.find(item => item.team === team)?.name ?? (blind ? `Team ${team}` : team)
}
