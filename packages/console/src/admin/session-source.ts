// The console's routes and screens for sessions and their entries.
import { withQuery } from '../api/request.ts'
import type { SessionSource } from '../session/session-source.tsx'

const path = (...parts: readonly (string | number)[]) =>
  parts.map(part => `/${encodeURIComponent(part)}`).join('')

export const consoleSessions: SessionSource = {
  sessionPath: (team, session) => path('sessions', team, session),
  entryPath: (team, seq) => path('entries', team, seq),
  sessionHref: ({ team, session, tool, seq }) =>
    withQuery(path('console', 'sessions', team, session), { tool, seq }),
  entryHref: (team, seq) => path('console', 'entries', team, seq),
  callsHref: query => withQuery('/console/calls', query),
}
