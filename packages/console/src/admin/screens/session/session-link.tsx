// Links to a session and to an entry in it.

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ForeignText } from '../../../show/foreign.tsx'

/** Link target for a session; `seq` scrolls to that entry. */
export function toSession({
  team_id: team,
  session_id: session,
  tool,
  seq,
}: {
  readonly team_id: string
  readonly session_id: string
  readonly tool: string | null
  readonly seq?: number
}) {
  return {
    to: '/console/sessions/$team/$session',
    params: { team, session },
    search: { tool: tool ?? undefined, seq: seq === undefined ? undefined : String(seq) },
  } as const
}

/** Link target for an entry outside any session. */
export function toEntry(team: string, seq: number | string) {
  return { to: '/console/entries/$team/$seq', params: { team, seq: String(seq) } } as const
}

/** Links to an entry within its session, or on its own. */
export function EntryLink({
  team,
  seq,
  session,
  tool,
  children,
  ...others
}: {
  readonly team: string
  readonly seq: number
  readonly session: string | null
  readonly tool: string | null
  readonly className?: string
  readonly 'data-hit'?: number
  readonly children: ReactNode
}) {
  const target =
    session === null ? toEntry(team, seq) : toSession({ team_id: team, session_id: session, tool, seq })
  return (
    <Link {...target} {...others}>
      {children}
    </Link>
  )
}

/** Breadcrumbs through the sessions of a team. */
export function TeamCrumbs({ team }: { readonly team: string }) {
  return (
    <>
      <Link to="/console/sessions" search={{ team }}>
        Sessions
      </Link>
      <span aria-hidden>›</span>
      <Link to="/console/teams/$team" params={{ team }}>
        <ForeignText text={team} most={40} />
      </Link>
    </>
  )
}
