// Shares the team's own record with all screens: read once, then updated by the live stream.
import type { Self, SelfFigures } from '@fairgate/contracts/console/self.ts'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { keyOf, readOf, useRead } from '../api/use-read.ts'
import { useReadAgain } from '../api/use-read-again.ts'
import { useTopic } from '../live/live-context.tsx'
import { Empty, PartError, Waiting } from '../show/states.tsx'
import { ZoneContext } from '../show/zone-context.tsx'

const SelfContext = createContext<Self | null>(null)
const selfRead = readOf<Self>('/self')
/** Keys and the newest refusal are not in the stream. They are read again this long after an event. */
const restMs = 4000

export function SelfProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient()
  const self = useRead(selfRead)
  const readAgain = useReadAgain(restMs)
  useTopic<SelfFigures>('self', figures => {
    queries.setQueryData<Self>(keyOf(selfRead), old => (old === undefined ? old : { ...old, ...figures }))
    readAgain([['/self'], ['/self/calls'], ['/self/series']])
  })
  if (self.data === undefined) {
    if (self.error !== null && self.error.status !== 401)
      return (
        <Empty>
          <PartError what="Your team" failure={self.error} retry={() => void self.refetch()} />
        </Empty>
      )
    return <Waiting what="Your team" retry={() => void self.refetch()} lines={4} />
  }
  return (
    <SelfContext.Provider value={self.data}>
      <ZoneContext.Provider value={self.data.phase.time_zone}>{children}</ZoneContext.Provider>
    </SelfContext.Provider>
  )
}

export function useSelf(): Self {
  const self = useContext(SelfContext)
  if (self === null) throw new Error('This component must be inside a team page.')
  return self
}
