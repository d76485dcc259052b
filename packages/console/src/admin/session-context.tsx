// The signed-in console session and its role's permissions.
import type { AdminSession } from '@fairgate/contracts/management/access.ts'
import { type OpenTo, rolesOf } from '@fairgate/contracts/management/roles.ts'
import { createContext, useContext } from 'react'

export const SessionContext = createContext<AdminSession | null>(null)

export function useSession(): AdminSession {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('useSession was called outside the console')
  return session
}

/** Organisers change things, judges read, operators run upstreams and the server. The server enforces this too. */
export function useMayOrganise(): boolean {
  return useSession().role === 'organiser'
}

/** True if the server answers the session's role on routes and topics that are open to these. */
export function useMayRead(openTo: OpenTo): boolean {
  return rolesOf[openTo].includes(useSession().role)
}
