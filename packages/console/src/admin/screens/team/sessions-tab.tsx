// Sessions tab: a team's sessions, each row links to the session.

import type { SessionRow, SessionsReply } from '@fairgate/contracts/console/sessions.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { readOf, useReadPages } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { namePeople, shortenSession } from '../../../format/session.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Cost } from '../../../show/money.tsx'
import { toSession } from '../session/session-link.tsx'

const pageSize = 200

const columns: readonly Column<SessionRow>[] = [
  { id: 'last', head: 'Last', cell: ({ last_at }) => <Moment at={last_at} /> },
  {
    id: 'tool',
    head: 'Session',
    cell: ({ tool, session_id }) => (
      <>
        <ForeignText text={tool ?? 'unknown tool'} most={24} />{' '}
        <ForeignId className="faint" text={shortenSession(session_id)} />
      </>
    ),
  },
  { id: 'who', head: 'Who', from: 768, cell: row => <ForeignText text={namePeople(row) || '–'} most={40} /> },
  {
    id: 'repo',
    head: 'Repository',
    from: 1280,
    cell: ({ repo, branch }) => (
      <ForeignText text={[repo, branch].filter(part => part !== null).join(' · ') || '–'} most={48} />
    ),
  },
  { id: 'prompts', head: 'Prompts', isEnd: true, from: 1024, cell: ({ prompts }) => formatCount(prompts) },
  {
    id: 'entries',
    head: 'Entries',
    isEnd: true,
    cell: ({ entries }) => (entries === 0 ? <Badge tone="warn">not logged</Badge> : formatCount(entries)),
  },
  { id: 'calls', head: 'Calls', isEnd: true, from: 600, cell: ({ calls }) => formatCount(calls) },
  { id: 'cost', head: 'Cost', isEnd: true, cell: ({ cost_nano }) => <Cost nano={cost_nano} isStrong /> },
]

export function SessionsTab({ team }: { readonly team: string }) {
  const navigate = useNavigate()
  const read = useReadPages(readOf<SessionsReply>('/sessions', { team_id: team, limit: pageSize }))
  useRefresh(`calls:${team}`, [['/sessions']], 5000)
  useRefresh('sessions', [['/sessions']], 5000)
  const total = read.first?.total
  return (
    <TableCard
      {...(total === undefined || total.count === 0
        ? {}
        : {
            title: countOf(total.count, 'session'),
            note: `${countOf(total.entries, 'entry', 'entries')} · ${countOf(total.calls, 'call')} · ${formatMoney(total.cost_nano)}`,
            action: (
              <Link to="/console/sessions" search={{ team }}>
                Filter sessions
              </Link>
            ),
          })}
      read={read}
      rows={read.rows}
      what="The sessions"
      height={38}
      lines={6}
      none="No sessions yet. A session starts with a tool's first log entry, or with a call that names a session."
      caption="Sessions of the team"
      columns={columns}
      idOf={({ tool, session_id }) => `${tool} ${session_id}`}
      open={row => void navigate(toSession(row))}
      total={total?.count}
      more={read.more}
    />
  )
}
