// The sessions of one team: which tool, who, how long, what it cost, and whether the log has it.

import type { SessionRow, SessionsReply } from '@fairgate/contracts/console/sessions.ts'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { Button, SegmentedControl, Select } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { morePagesOf } from '../../../api/more-pages.ts'
import { readOf, useRead, useReadPages } from '../../../api/use-read.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { shortenSession } from '../../../format/session.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Cost, Money } from '../../../show/money.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'

const from = '/console/sessions'

export function SessionsScreen() {
  const { team: asked, tool, logged } = useSearch({ from })
  const navigate = useNavigate({ from })
  // The team that wrote last comes first.
  const teams = useRead(readOf<TeamsReply>('/teams', { sort: 'last_entry', order: 'desc', limit: 500 }))
  const team = asked ?? teams.data?.items[0]?.team_id
  const sessions = useReadPages(
    readOf<SessionsReply>('/sessions', {
      team_id: team,
      tool,
      logged: logged === 'yes' ? true : logged === 'no' ? false : undefined,
      limit: 100,
    }),
    { isOff: team === undefined },
  )
  useRefresh('sessions', [['/sessions']], 3000)
  const set = (change: Readonly<Record<string, string | undefined>>) =>
    void navigate({ search: old => ({ ...old, ...change }) })
  const rows = sessions.data?.pages.flatMap(({ items }) => items) ?? []
  const total = sessions.data?.pages[0]?.total
  const isFiltered = tool !== undefined || logged !== undefined
  return (
    <>
      <PageHead title="Sessions" />
      <div className="row wrap">
        <Select
          aria-label="Team"
          placeholder="Team"
          searchable
          allowDeselect={false}
          data={(teams.data?.items ?? []).map(({ team_id, team_alias }) => ({
            value: team_id,
            label: (team_alias === '' ? team_id : team_alias).slice(0, 40),
          }))}
          value={team ?? null}
          onChange={value => set({ team: value ?? undefined })}
          renderOption={({ option }) => <ForeignText text={option.label} most={40} />}
        />
        <SegmentedControl
          aria-label="Logged or not"
          value={logged === 'yes' || logged === 'no' ? logged : 'all'}
          data={[
            { value: 'all', label: 'All' },
            { value: 'yes', label: 'In the log' },
            { value: 'no', label: 'Not in the log' },
          ]}
          onChange={value => set({ logged: value === 'all' ? undefined : value })}
        />
        {tool === undefined ? null : (
          <button type="button" className="chip" aria-pressed onClick={() => set({ tool: undefined })}>
            tool: <ForeignText text={tool} most={24} /> ×
          </button>
        )}
        {total === undefined ? null : (
          <span className="muted">
            {countOf(total.count, 'session')} · {countOf(total.entries, 'entry', 'entries')} ·{' '}
            {countOf(total.calls, 'call')} ·{' '}
            <span className="strong">
              <Money nano={total.cost_nano} />
            </span>
          </span>
        )}
      </div>
      <Card isFlush>
        {teams.data !== undefined && team === undefined ? (
          <Empty action={<Link to="/console/teams">To the teams</Link>}>
            There is no team yet. Make one first.
          </Empty>
        ) : (
          <Loaded
            read={{ ...sessions, error: sessions.error ?? (asked === undefined ? teams.error : null) }}
            what="The list of sessions"
            height={420}
          >
            {() =>
              rows.length === 0 ? (
                isFiltered ? (
                  <Empty
                    action={
                      <Button variant="default" onClick={() => set({ tool: undefined, logged: undefined })}>
                        Clear the filter
                      </Button>
                    }
                  >
                    No session of this team passes the filter.
                  </Empty>
                ) : (
                  <Empty>
                    This team has no session yet. One begins with the first call of a coding tool, or the
                    first push of its log.
                  </Empty>
                )
              ) : (
                <DataTable
                  caption="Sessions, the one that went on last comes first"
                  columns={columns}
                  rows={rows}
                  idOf={row => `${row.tool ?? ''} ${row.session_id}`}
                  open={row =>
                    void navigate({
                      to: '/console/sessions/$team/$session',
                      params: { team: row.team_id, session: row.session_id },
                      search: { tool: row.tool ?? undefined },
                    })
                  }
                  {...(total === undefined ? {} : { total: total.count })}
                  more={morePagesOf(sessions)}
                />
              )
            }
          </Loaded>
        )}
      </Card>
    </>
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
        search={{ tool: tool ?? undefined }}
        className="strong"
      >
        <ForeignText text={tool ?? 'other tool'} most={20} />{' '}
        <code className="faint">
          <ForeignText text={shortenSession(session)} />
        </code>
      </Link>
    ),
  },
  {
    id: 'who',
    head: 'Who',
    from: 768,
    cell: ({ members, students }) => (
      <ForeignText
        text={(members.length > 0 ? members.map(({ name }) => name) : students).join(', ')}
        most={40}
      />
    ),
  },
  {
    id: 'where',
    head: 'Repository',
    from: 1280,
    cell: ({ repo, branch }) => (
      <ForeignText text={[repo, branch].filter(text => text !== null).join(' · ')} most={40} />
    ),
  },
  { id: 'first', head: 'From', from: 1024, cell: ({ first_at }) => <Moment at={first_at} /> },
  { id: 'last', head: 'Last', cell: ({ last_at }) => <Moment at={last_at} as="ago" /> },
  { id: 'prompts', head: 'Prompts', isEnd: true, from: 768, cell: ({ prompts }) => formatCount(prompts) },
  {
    id: 'entries',
    head: 'Entries',
    isEnd: true,
    from: 600,
    cell: ({ entries, late }) => (
      <span className="row nowrap" style={{ justifyContent: 'flex-end' }}>
        {late > 0 ? <Badge tone="warn">{formatCount(late)} late</Badge> : null}
        {entries === 0 ? <Badge tone="warn">none</Badge> : formatCount(entries)}
      </span>
    ),
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
