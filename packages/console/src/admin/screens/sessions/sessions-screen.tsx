// Sessions screen: a team's sessions with tool, people, times, cost and log coverage.

import type { SessionRow, SessionsReply } from '@fairgate/contracts/console/sessions.ts'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { SegmentedControl, Select } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { readOf, useRead, useReadPages } from '../../../api/use-read.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { namePeople, shortenSession } from '../../../format/session.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { FilterChip } from '../../../show/chips.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Cost, Money } from '../../../show/money.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty } from '../../../show/states.tsx'
import { toSession } from '../session/session-link.tsx'

export function SessionsScreen() {
  const { search, set } = useAddress()
  const { team: asked, tool, logged } = search
  const navigate = useNavigate()
  // Starts with the team that logged last.
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
  const total = sessions.first?.total
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
          aria-label="In the log"
          value={logged === 'yes' || logged === 'no' ? logged : 'all'}
          data={[
            { value: 'all', label: 'All' },
            { value: 'yes', label: 'In the log' },
            { value: 'no', label: 'Not in the log' },
          ]}
          onChange={value => set({ logged: value === 'all' ? undefined : value })}
        />
        {tool === undefined ? null : (
          <FilterChip onClear={() => set({ tool: undefined })}>
            tool: <ForeignText text={tool} most={24} />
          </FilterChip>
        )}
        {total === undefined ? null : (
          <span className="muted">
            {countOf(total.count, 'session')} · {countOf(total.entries, 'entry', 'entries')} ·{' '}
            {countOf(total.calls, 'call')} · <Money nano={total.cost_nano} isStrong />
          </span>
        )}
      </div>
      {teams.data !== undefined && team === undefined ? (
        <Card isFlush>
          <Empty action={<Link to="/console/teams">Go to teams</Link>}>
            No teams yet. Create a team first.
          </Empty>
        </Card>
      ) : (
        <TableCard
          read={{ ...sessions, error: sessions.error ?? (asked === undefined ? teams.error : null) }}
          rows={sessions.rows}
          what="The list of sessions"
          height={420}
          none="This team has no sessions yet. A session starts with a coding tool's first call or first log push."
          filter={
            isFiltered
              ? {
                  none: 'No sessions of this team match this filter.',
                  clear: () => set({ tool: undefined, logged: undefined }),
                }
              : null
          }
          caption="Sessions, last active first"
          columns={columns}
          idOf={row => `${row.tool ?? ''} ${row.session_id}`}
          open={row => void navigate(toSession(row))}
          total={total?.count}
          more={sessions.more}
        />
      )}
    </>
  )
}

const columns: readonly Column<SessionRow>[] = [
  {
    id: 'session',
    head: 'Session',
    cell: row => (
      <Link {...toSession(row)} className="strong">
        <ForeignText text={row.tool ?? 'other tool'} most={20} />{' '}
        <ForeignId className="faint" text={shortenSession(row.session_id)} />
      </Link>
    ),
  },
  { id: 'who', head: 'Who', from: 768, cell: row => <ForeignText text={namePeople(row)} most={40} /> },
  {
    id: 'where',
    head: 'Repository',
    from: 1280,
    cell: ({ repo, branch }) => (
      <ForeignText text={[repo, branch].filter(text => text !== null).join(' · ')} most={40} />
    ),
  },
  { id: 'first', head: 'Started', from: 1024, cell: ({ first_at }) => <Moment at={first_at} /> },
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
  { id: 'cost', head: 'Cost', isEnd: true, cell: ({ cost_nano }) => <Cost nano={cost_nano} isStrong /> },
]
