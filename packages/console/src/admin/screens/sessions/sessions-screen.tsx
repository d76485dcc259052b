// The sessions of a team: who worked with which tool, how long, at what cost, and whether the log has it.

import type { SessionRow, SessionsReply } from '@fairgate/contracts/console/sessions.ts'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { Select } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { readOf, useRead, useReadPages } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'

export function SessionsScreen() {
  const search = useSearch({ from: '/console/sessions' })
  const navigate = useNavigate({ from: '/console/sessions' })
  const teams = useRead(readOf<TeamsReply>('/teams', { sort: 'last_entry', order: 'desc', limit: 500 }))
  const team = search.team ?? teams.data?.items[0]?.team_id
  const set = (change: Record<string, string | undefined>) =>
    void navigate({ search: old => ({ ...old, ...change }) })
  return (
    <>
      <PageHead title="Sessions" />
      <div className="row wrap">
        <Select
          aria-label="Team"
          searchable
          allowDeselect={false}
          data={
            teams.data?.items.map(({ team_id, team_alias }) => ({
              value: team_id,
              label: team_alias === '' ? team_id : team_alias,
            })) ?? []
          }
          value={team ?? null}
          onChange={value => set({ team: value ?? undefined })}
        />
        {(
          [
            [undefined, 'All'],
            ['true', 'With log entries'],
            ['false', 'Without'],
          ] as const
        ).map(([logged, label]) => (
          <button
            key={label}
            type="button"
            className="chip"
            aria-pressed={search.logged === logged}
            onClick={() => set({ logged })}
          >
            {label}
          </button>
        ))}
      </div>
      {team === undefined ? (
        teams.data === undefined ? null : (
          <Card>
            <Empty>There is no team yet.</Empty>
          </Card>
        )
      ) : (
        <SessionList team={team} logged={search.logged} />
      )}
    </>
  )
}

function SessionList({ team, logged }: { readonly team: string; readonly logged: string | undefined }) {
  const navigate = useNavigate()
  const sessions = useReadPages(readOf<SessionsReply>('/sessions', { team_id: team, logged, limit: 100 }))
  useRefresh('sessions', [['/sessions']], 3000)
  const rows = useMemo(() => sessions.data?.pages.flatMap(({ items }) => items) ?? [], [sessions.data])
  const total = sessions.data?.pages[0]?.total
  return (
    <Card
      isFlush
      title={
        total === undefined ? (
          'Sessions'
        ) : (
          <>
            {countOf(total.count, 'session')}{' '}
            <span className="muted">
              {countOf(total.entries, 'entry', 'entries')}, {countOf(total.calls, 'call')},{' '}
              {formatMoney(total.cost_nano)}
            </span>
          </>
        )
      }
    >
      <Loaded read={sessions} what="The list of sessions" height={400}>
        {() =>
          rows.length === 0 ? (
            <Empty>
              {logged === undefined
                ? 'No session yet: neither a log entry nor a call that names one.'
                : 'No session of this kind.'}
            </Empty>
          ) : (
            <DataTable
              caption="Sessions"
              columns={columns}
              rows={rows}
              idOf={({ tool, session_id }) => `${tool ?? 'other'} ${session_id}`}
              open={({ session_id: session, tool }) =>
                void navigate({
                  to: '/console/sessions/$team/$session',
                  params: { team, session },
                  search: tool === null ? {} : { tool },
                })
              }
              total={total?.count ?? rows.length}
              {...(sessions.hasNextPage ? { loadMore: () => void sessions.fetchNextPage() } : {})}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

const columns: readonly Column<SessionRow>[] = [
  {
    id: 'session',
    head: 'Session',
    cell: ({ team_id: team, session_id: session, tool }) => (
      <Link
        to="/console/sessions/$team/$session"
        params={{ team, session }}
        search={tool === null ? {} : { tool }}
      >
        <span className="strong">
          <ForeignText text={tool ?? 'other tool'} most={20} />
        </span>{' '}
        <code>{session.slice(0, 8)}</code>
      </Link>
    ),
  },
  {
    id: 'who',
    head: 'Who',
    from: 768,
    cell: ({ members, students }) => (
      <ForeignText
        text={members.length > 0 ? members.map(({ name }) => name).join(', ') : students.join(', ')}
        most={40}
      />
    ),
  },
  {
    id: 'where',
    head: 'Repository',
    from: 1280,
    cell: ({ repo, branch }) => (
      <ForeignText text={repo === null ? '–' : `${repo}, ${branch ?? ''}`} most={40} />
    ),
  },
  { id: 'began', head: 'Began', from: 600, cell: ({ first_at }) => <Moment at={first_at} /> },
  {
    id: 'lasted',
    head: 'Lasted',
    from: 1024,
    cell: ({ first_at, last_at }) => (
      <span className="nowrap">
        {formatDuration(Math.max(0, Date.parse(last_at) - Date.parse(first_at)))}
      </span>
    ),
  },
  { id: 'prompts', head: 'Prompts', isEnd: true, from: 600, cell: ({ prompts }) => formatCount(prompts) },
  {
    id: 'entries',
    head: 'Entries',
    isEnd: true,
    cell: ({ entries }) => (entries === 0 ? <Badge tone="warn">no log</Badge> : formatCount(entries)),
  },
  { id: 'calls', head: 'Calls', isEnd: true, from: 600, cell: ({ calls }) => formatCount(calls) },
  {
    id: 'cost',
    head: 'Cost',
    isEnd: true,
    cell: ({ cost_nano }) => <span className="strong">{formatMoney(cost_nano)}</span>,
  },
]
