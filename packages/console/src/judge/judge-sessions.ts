// The judge's routes and addresses for sessions and their entries.
import type { SessionSource } from '../session/session-source.tsx'
import { entryHref, judgingPath, sessionHref } from './judge-address.ts'

export const judgeSessions: Omit<SessionSource, 'renderEntryTools'> = {
  sessionPath: (team, session) => judgingPath('sessions', team, session),
  entryPath: (team, seq) => judgingPath('entries', team, seq),
  sessionHref,
  entryHref,
  callsHref: null,
}
