// Who is signed in to the console, and what that role may do.
import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import { createContext, useContext } from 'react'

export const SessionContext = createContext<AdminSession | null>(null)

export function useSession(): AdminSession {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('This part stands outside of the console.')
  return session
}

/** Organisers change things; judges read; operators look after upstreams and the server. The server refuses the rest anyway. */
export function useMayOrganise(): boolean {
  return useSession().role === 'organiser'
}
