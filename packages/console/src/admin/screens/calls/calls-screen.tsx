// Calls screen: all calls, newest first and followed live, each with a detail drawer.

import type { OrganiserCallItem } from '@fairgate/contracts/calls/call.ts'
import type { OrganiserCallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { LiveCall } from '@fairgate/contracts/console/stream.ts'
import type { CatalogList } from '@fairgate/contracts/management/catalog.ts'
import type { SpendReport } from '@fairgate/contracts/spend/spend-report.ts'
import { Select } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { withQuery } from '../../../api/request.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { shortenSession } from '../../../format/session.ts'
import { formatDuration } from '../../../format/time.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useFollowedList } from '../../../live/use-followed-list.ts'
import { OutcomeBadge } from '../../../show/badge.tsx'
import { FilterChip } from '../../../show/chips.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { FollowSwitch, WaitingButton } from '../../../show/followed-list.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { DownloadLink } from '../../../show/icon-button.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Cost, Money } from '../../../show/money.tsx'
import { OutcomeSelect } from '../../../show/outcome-select.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { useMayOrganise } from '../../session-context.tsx'
import { toSession } from '../session/session-link.tsx'
import { TeamLink } from '../teams/team-link.tsx'
import { TeamSelect } from '../teams/team-select.tsx'
import { CallDrawer } from './call-drawer.tsx'
import { type CallSearch, callFilters, fitsFilter, isFiltered, toCallsQuery } from './call-filter.ts'

const pageSize = 100

type Batches = { readonly items: readonly { readonly count: number; readonly items: readonly LiveCall[] }[] }

export function CallsScreen() {
  const { search, set, clear } = useAddress()
  const catalog = useRead(readOf<CatalogList>('/catalog'))
  const filter = toCallsQuery(search)
  const list = useFollowedList<OrganiserCallItem, OrganiserCallsPage, Batches>({
    path: '/calls',
    filter,
    pageSize,
    topic: search.team === undefined ? 'calls' : `calls:${search.team}`,
    idOf: ({ call_id }) => call_id,
    countFresh: ({ items }) => countFitting(search, items),
    isBusy: search.call !== undefined,
  })

  return (
    <>
      <PageHead title="Calls">
        <CsvLink search={search} />
        <FollowSwitch list={list} />
      </PageHead>
      <div className="row wrap">
        <OutcomeSelect value={search.outcome} onChange={outcome => set({ outcome })} />
        <Select
          aria-label="Model"
          placeholder="Any model"
          clearable
          searchable
          data={catalog.data?.models.map(({ id }) => id) ?? []}
          value={search.model ?? null}
          onChange={value => set({ model: value ?? undefined })}
        />
        <TeamSelect value={search.team} onChange={team => set({ team })} />
        {callFilters
          .filter(name => !['outcome', 'model', 'team'].includes(name) && search[name] !== undefined)
          .map(name => (
            <FilterChip key={name} onClear={() => set({ [name]: undefined })}>
              {name}: <ForeignText text={(search[name] ?? '').slice(0, 24)} />
            </FilterChip>
          ))}
        <FoundTotals search={search} />
        <WaitingButton list={list} what={countOf(list.waiting, 'new call')} />
      </div>
      <TableCard
        {...list}
        what="The list of calls"
        height={480}
        none="No calls yet. New calls appear here live."
        filter={isFiltered(search) ? { none: 'No calls match this filter.', clear } : null}
        caption="Calls, newest first"
        columns={columns}
        idOf={({ call_id }) => call_id}
        open={({ call_id: call }) => set({ call })}
        openId={search.call ?? null}
      />
      {search.call === undefined ? null : (
        <CallDrawer callId={search.call} onClose={() => set({ call: undefined })} />
      )}
    </>
  )
}

/** For a batch with only a count, all its calls may match. */
function countFitting(search: CallSearch, batches: Batches['items']): number {
  return batches.reduce(
    (sum, { items, count }) =>
      sum + (items.length === 0 ? count : items.filter(call => fitsFilter(search, call)).length),
    0,
  )
}

/** Query for the totals of these calls. Null for filters by outcome, error or session, which the ledger does not support. */
function toSpendQuery({ team, model, outcome, code, key, session, from, until }: CallSearch) {
  const isFiner = outcome !== undefined || code !== undefined || session !== undefined
  return isFiner ? null : { team_id: team, model, key, from, until }
}

/** Totals of all calls that match the filter, summed by the server. */
function FoundTotals({ search }: { readonly search: CallSearch }) {
  const query = toSpendQuery(search)
  const mayOrganise = useMayOrganise()
  const report = useRead(readOf<SpendReport>('/spend', { by: 'team', ...query, limit: 1 }), {
    everyMs: 10_000,
    isOff: query === null || !mayOrganise,
  })
  if (query === null || report.data === undefined) return null
  const { calls, refused, cost_nano } = report.data.total
  return (
    <span className="muted" data-totals>
      {countOf(calls, 'charged call')} · {formatCount(refused)} refused · <Money nano={cost_nano} isStrong />
    </span>
  )
}

function CsvLink({ search }: { readonly search: CallSearch }) {
  const query = toSpendQuery(search)
  if (!useMayOrganise() || query === null) return null
  return <DownloadLink href={withQuery('/spend/export.csv', { ...query, refused: true })}>CSV</DownloadLink>
}

const columns: readonly Column<OrganiserCallItem>[] = [
  {
    id: 'time',
    head: 'Time',
    // Time of the first of equal refusals, by which the list is sorted.
    cell: ({ received_at }) => <Moment at={received_at} as="clock" className="mono" />,
  },
  { id: 'team', head: 'Team', cell: ({ team_id }) => <TeamLink team={team_id} className="call-team cut" /> },
  {
    id: 'model',
    head: 'Model',
    from: 600,
    cell: ({ model_served, model_asked, endpoint }) => (
      <ForeignId text={model_served ?? model_asked ?? endpoint} most={36} />
    ),
  },
  { id: 'kind', head: 'Kind', from: 1280, cell: ({ endpoint }) => endpoint },
  {
    id: 'in',
    head: 'In',
    isEnd: true,
    from: 1024,
    cell: ({ input_tokens: count }) => (count === 0 ? '' : formatCount(count)),
  },
  {
    id: 'out',
    head: 'Out',
    isEnd: true,
    from: 1024,
    cell: ({ output_tokens: count }) => (count === 0 ? '' : formatCount(count)),
  },
  {
    id: 'cost',
    head: 'Cost',
    isEnd: true,
    cell: ({ outcome, left_nano, count }) =>
      outcome === 'refused' ? (
        <span className="faint">{count > 1 ? `× ${formatCount(count)}` : '–'}</span>
      ) : (
        <Cost nano={left_nano} isStrong />
      ),
  },
  {
    id: 'took',
    head: 'Duration',
    isEnd: true,
    from: 1280,
    cell: ({ duration_ms }) => <span className="nowrap">{formatDuration(duration_ms)}</span>,
  },
  {
    id: 'outcome',
    head: 'Outcome',
    cell: ({ outcome, code }) => (
      <OutcomeBadge outcome={outcome} code={outcome === 'completed' ? null : code} />
    ),
  },
  {
    id: 'session',
    head: 'Session',
    from: 1440,
    cell: ({ team_id: team, tool, session: { id } }) =>
      id === null ? (
        <span className="faint">no session</span>
      ) : (
        <Link {...toSession({ team_id: team, session_id: id, tool: null })}>
          <ForeignText text={tool ?? 'session'} most={12} /> · <code>{shortenSession(id)}</code>
        </Link>
      ),
  },
]
