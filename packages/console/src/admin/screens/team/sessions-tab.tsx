// The sessions of a team: each leads to the session itself.

import type { SessionRow, SessionsReply } from '@fairgate/contracts/console/sessions.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { morePagesOf } from '../../../api/more-pages.ts'
import { readOf, useReadPages } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { shortenSession } from '../../../format/session.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Cost } from '../../../show/money.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'

const pageSize = 200

const columns: readonly Column<SessionRow>[] = [
  { id: 'last', head: 'Last', cell: ({ last_at }) => <Moment at={last_at} /> },
  {
    id: 'tool',
    head: 'Session',
    cell: ({ tool, session_id }) => (
      <>
        <ForeignText text={tool ?? 'unknown tool'} most={24} />{' '}
        <code className="faint">
          <ForeignText text={shortenSession(session_id)} />
        </code>
      </>
    ),
  },
  {
    id: 'who',
    head: 'Who',
    from: 768,
    cell: ({ members, students }) => (
      <ForeignText
        text={(members.length > 0 ? members.map(({ name }) => name) : students).join(', ') || '–'}
        most={40}
      />
    ),
  },
  {
    id: 'repo',
    head: 'Repository',
    from: 1280,
    cell: ({ repo, branch }) => (
      <ForeignText text={[repo, branch].filter(part => part !== null).join(' · ') || '–'} most={48} />
    ),
  },
  {
    id: 'prompts',
    head: 'Prompts',
    isEnd: true,
    from: 1024,
    cell: ({ prompts }) => formatCount(prompts),
  },
  {
    id: 'entries',
    head: 'Entries',
    isEnd: true,
    cell: ({ entries }) => (entries === 0 ? <Badge tone="warn">not logged</Badge> : formatCount(entries)),
  },
  { id: 'calls', head: 'Calls', isEnd: true, from: 600, cell: ({ calls }) => formatCount(calls) },
  {
    id: 'cost',
    head: 'Cost',
    isEnd: true,
    cell: ({ cost_nano }) => (
      <span className="strong">
        <Cost nano={cost_nano} />
      </span>
    ),
  },
]

export function SessionsTab({ team }: { readonly team: string }) {
  const navigate = useNavigate()
  const read = useReadPages(readOf<SessionsReply>('/sessions', { team_id: team, limit: pageSize }))
  useRefresh(`calls:${team}`, [['/sessions']], 5000)
  useRefresh('sessions', [['/sessions']], 5000)
  return (
    <Loaded read={read} what="The sessions" height={38} lines={6}>
      {({ pages }) => {
        const rows = pages.flatMap(({ items }) => items)
        const total = pages[0]?.total
        if (rows.length === 0 || total === undefined)
          return (
            <Card>
              <Empty>
                No session yet. A session begins with the first log entry of a tool, or with a call that names
                one.
              </Empty>
            </Card>
          )
        return (
          <Card
            isFlush
            title={countOf(total.count, 'session')}
            note={`${countOf(total.entries, 'entry', 'entries')} · ${countOf(total.calls, 'call')} · ${formatMoney(total.cost_nano)}`}
            action={
              <Link to="/console/sessions" search={{ team }}>
                With filters
              </Link>
            }
          >
            <DataTable
              caption="Sessions of the team"
              columns={columns}
              rows={rows}
              idOf={({ tool, session_id }) => `${tool} ${session_id}`}
              open={({ tool, session_id }) =>
                void navigate({
                  to: '/console/sessions/$team/$session',
                  params: { team, session: session_id },
                  search: tool === null ? {} : { tool },
                })
              }
              total={total.count}
              more={morePagesOf(read)}
            />
          </Card>
        )
      }}
    </Loaded>
  )
}
