// Sessions screen: the sessions of all teams, or of one, with first prompt, people, times, cost and log coverage.
import { knownTools } from '@fairgate/contracts/agents/known-tools.ts'
import type { SessionRow, SessionsReply } from '@fairgate/contracts/console/sessions.ts'
import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { SegmentedControl, Select } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { readOf, useRead, useReadPages } from '../../../api/use-read.ts'
import { countOf, formatCount, formatShare } from '../../../format/number.ts'
import { namePeople, shortenSession } from '../../../format/session.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Cost, Money } from '../../../show/money.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { toSession } from '../session/session-link.tsx'

const orders = [
  { value: 'newest', label: 'Newest first' },
  { value: 'dearest', label: 'Dearest first' },
  { value: 'longest', label: 'Longest first' },
]
/** In the address in dollars. */
const costs = ['0.1', '1', '10']
const nanoPerDollar = 1_000_000_000

export function SessionsScreen() {
  const { search, set } = useAddress()
  const { team, tool, logged, sort } = search
  const cost = costs.find(known => known === search.cost)
  const navigate = useNavigate()
  const teams = useRead(readOf<TeamsReply>('/teams', { sort: 'last_entry', order: 'desc', limit: 500 }))
  const sessions = useReadPages(
    readOf<SessionsReply>('/sessions', {
      team_id: team,
      tool,
      logged: logged === 'yes' ? true : logged === 'no' ? false : undefined,
      min_cost_nano: cost === undefined ? undefined : Number(cost) * nanoPerDollar,
      sort: orders.find(({ value }) => value === sort)?.value,
      limit: 100,
    }),
    { isIncomplete: ({ pending }) => pending > 0 },
  )
  useRefresh('sessions', [['/sessions']], 3000)
  const { total, pending = 0, left_out: leftOut = 0 } = sessions.first ?? {}
  const isFiltered = [team, tool, logged, cost].some(value => value !== undefined)
  const names = new Map(teams.data?.items.map(row => [row.team_id, row.team_alias || row.team_id]))
  return (
    <>
      <PageHead title="Sessions" />
      <div className="row wrap">
        <Select
          aria-label="Team"
          placeholder="All teams"
          searchable
          clearable
          data={[...names].map(([value, name]) => ({ value, label: name.slice(0, 40) }))}
          value={team ?? null}
          onChange={value => set({ team: value ?? undefined })}
          renderOption={({ option }) => <ForeignText text={option.label} most={40} />}
        />
        <Select
          aria-label="Tool"
          placeholder="All tools"
          clearable
          data={listTools(tool)}
          value={tool ?? null}
          onChange={value => set({ tool: value ?? undefined })}
        />
        <Select
          aria-label="Cost"
          placeholder="Any cost"
          clearable
          data={costs.map(value => ({ value, label: `$${value} or more` }))}
          value={cost ?? null}
          onChange={value => set({ cost: value ?? undefined })}
        />
        <Select
          aria-label="Order"
          allowDeselect={false}
          data={orders}
          value={orders.find(({ value }) => value === sort)?.value ?? 'newest'}
          onChange={value => set({ sort: value === null || value === 'newest' ? undefined : value })}
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
        {total === undefined ? null : (
          <span className="muted">
            {countOf(total.count, 'session')} · {countOf(total.entries, 'entry', 'entries')} ·{' '}
            {countOf(total.calls, 'call')} · <Money nano={total.cost_nano} isStrong />
          </span>
        )}
        <span className="muted" role="status">
          {pending === 0 ? null : `Reading ${countOf(pending, 'more team')}…`}
        </span>
        {leftOut === 0 ? null : (
          <span className="muted">
            {countOf(leftOut, 'older session')} left out. Choose a team to see all of its sessions.
          </span>
        )}
      </div>
      <TableCard
        read={sessions}
        rows={sessions.rows}
        what="The list of sessions"
        height={420}
        none="No sessions yet. A session starts with a coding tool's first call or first log push."
        filter={
          isFiltered
            ? {
                none: 'No sessions match this filter.',
                clear: () => set({ team: undefined, tool: undefined, logged: undefined, cost: undefined }),
              }
            : null
        }
        caption="Sessions"
        columns={team === undefined ? withTeam(names) : columns}
        idOf={row => `${row.team_id} ${row.tool ?? ''} ${row.session_id}`}
        open={row => void navigate(toSession(row))}
        total={total?.count}
        more={sessions.more}
      />
    </>
  )
}

/** The recorded tools, and any other that the address names. */
function listTools(named: string | undefined): { value: string; label: string }[] {
  const known = knownTools
    .filter(({ isRecorded }) => isRecorded)
    .map(({ id, title }) => ({ value: id as string, label: title as string }))
  if (named === undefined || known.some(({ value }) => value === named)) return known
  return [...known, { value: named, label: named.slice(0, 40) }]
}

const session: Column<SessionRow> = {
  id: 'session',
  head: 'Session',
  cell: row => (
    <Link {...toSession(row)} className="strong">
      <ForeignText text={row.tool ?? 'other tool'} most={20} />{' '}
      <ForeignId className="faint" text={shortenSession(row.session_id)} />
    </Link>
  ),
}

const rest: readonly Column<SessionRow>[] = [
  {
    id: 'prompt',
    head: 'First prompt',
    from: 600,
    cell: ({ first_prompt: prompt }) =>
      prompt === null ? <span className="muted">–</span> : <ForeignText text={prompt} most={60} />,
  },
  { id: 'who', head: 'Who', from: 1024, cell: row => <ForeignText text={namePeople(row)} most={40} /> },
  {
    id: 'where',
    head: 'Repository',
    from: 1440,
    cell: ({ repo, branch }) => (
      <ForeignText text={[repo, branch].filter(text => text !== null).join(' · ')} most={40} />
    ),
  },
  { id: 'last', head: 'Last', from: 600, cell: ({ last_at }) => <Moment at={last_at} as="ago" /> },
  { id: 'prompts', head: 'Prompts', isEnd: true, from: 1024, cell: ({ prompts }) => formatCount(prompts) },
  {
    id: 'entries',
    head: 'Entries',
    isEnd: true,
    from: 1024,
    cell: ({ entries, late }) => (
      <span className="row nowrap" style={{ justifyContent: 'flex-end' }}>
        {late > 0 ? <Badge tone="warn">{formatCount(late)} late</Badge> : null}
        {entries === 0 ? <Badge tone="warn">none</Badge> : formatCount(entries)}
      </span>
    ),
  },
  { id: 'calls', head: 'Calls', isEnd: true, from: 1280, cell: ({ calls }) => formatCount(calls) },
  {
    id: 'coverage',
    head: 'Coverage',
    isEnd: true,
    from: 768,
    cell: ({ coverage }) =>
      coverage === null ? (
        <span className="muted">–</span>
      ) : (
        <span className="nowrap">{formatShare(coverage)}</span>
      ),
  },
  { id: 'cost', head: 'Cost', isEnd: true, cell: ({ cost_nano }) => <Cost nano={cost_nano} isStrong /> },
]

const columns: readonly Column<SessionRow>[] = [session, ...rest]

function withTeam(names: ReadonlyMap<string, string>): readonly Column<SessionRow>[] {
  const team: Column<SessionRow> = {
    id: 'team',
    head: 'Team',
    cell: ({ team_id }) => <ForeignText text={names.get(team_id) ?? team_id} most={24} />,
  }
  return [session, team, ...rest]
}
