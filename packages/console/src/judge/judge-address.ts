// Addresses of the judge's page. It has one document, because its routes have the addresses below it: what is shown follows from the query.
import { withQuery } from '../api/request.ts'
import type { SessionTarget } from '../session/session-source.tsx'

const root = '/judging'

export type JudgePlace =
  | { readonly kind: 'start' | 'sessions' | 'search' | 'order'; readonly team: null }
  | { readonly kind: 'team'; readonly team: string }
  | { readonly kind: 'entry'; readonly team: string; readonly seq: string }
  | {
      readonly kind: 'session'
      readonly team: string
      readonly session: string
      readonly tool: string | undefined
    }

type Query = Readonly<Record<string, string | undefined>>

export function readPlace({ view, team, session, tool, entry }: Query): JudgePlace {
  if (team !== undefined && session !== undefined) return { kind: 'session', team, session, tool }
  if (team !== undefined && entry !== undefined) return { kind: 'entry', team, seq: entry }
  if (view === 'sessions' || view === 'search' || view === 'order') return { kind: view, team: null }
  return team === undefined ? { kind: 'start', team: null } : { kind: 'team', team }
}

export const startHref = root
export const viewHref = (
  view: 'sessions' | 'search' | 'order',
  query: Readonly<Record<string, string>> = {},
): string => withQuery(root, { view, ...query })
export const teamHref = (team: string): string => withQuery(root, { team })
export const entryHref = (team: string, seq: number | string): string => withQuery(root, { team, entry: seq })
export const sessionHref = ({ team, session, tool, seq }: SessionTarget): string =>
  withQuery(root, { team, session, tool, seq })

/** Path of a route for a team. */
export const judgingPath = (...parts: readonly (string | number)[]): string =>
  root + parts.map(part => `/${encodeURIComponent(part)}`).join('')
