// The time zone in which a page shows times, which is the event's zone.
import { createContext, useContext } from 'react'

export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

export const ZoneContext = createContext<string>('UTC')

export function useZone(): string {
  return useContext(ZoneContext)
}
