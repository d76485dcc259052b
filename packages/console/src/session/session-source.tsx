// Where the session components read from, and where their links lead. The console and the judge's page differ only in this.
import { createContext, type ReactNode, useContext } from 'react'

export type SessionTarget = {
  readonly team: string
  readonly session: string
  readonly tool: string | null
  /** Scrolls to this entry. */
  readonly seq?: number | undefined
}

export type SessionSource = {
  /** Path of the route of a session; the one of its items is below it. */
  readonly sessionPath: (team: string, session: string) => string
  readonly entryPath: (team: string, seq: number | string) => string
  /** Addresses of screens. */
  readonly sessionHref: (target: SessionTarget) => string
  readonly entryHref: (team: string, seq: number | string) => string
  /** Null if the reader has no screen for calls. */
  readonly callsHref: ((query: { readonly team: string; readonly [name: string]: string }) => string) | null
  /** Buttons of one entry. */
  readonly renderEntryTools?: (team: string, seq: number) => ReactNode
}

export const SessionSourceContext = createContext<SessionSource | null>(null)

export function useSessionSource(): SessionSource {
  const source = useContext(SessionSourceContext)
  if (source === null) throw new Error('This component must be inside a page that shows sessions.')
  return source
}
