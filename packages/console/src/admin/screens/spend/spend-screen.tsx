// Spend screen: spend over time and by team, person, key or model. All totals come from the server.

import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type {
  SpendGrouping,
  SpendReport,
  SpendReportItem,
  SpendSeries,
} from '@fairgate/contracts/spend/spend-report.ts'
import { SegmentedControl } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { withQuery } from '../../../api/request.ts'
import { readOf, useRead, useReadPages } from '../../../api/use-read.ts'
import { formatAxisMoney, formatMoney } from '../../../format/money.ts'
import { countOf, formatCount, formatShare } from '../../../format/number.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { AreaChart } from '../../../show/area-chart.tsx'
import { Card } from '../../../show/card.tsx'
import { FilterChip } from '../../../show/chips.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignId, ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { DownloadLink } from '../../../show/icon-button.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Money } from '../../../show/money.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { useZone } from '../../../show/zone-context.tsx'
import { chooseStep, type RangeName, rangeNames, readRange, startOf, stepMs } from './ranges.ts'

const groupings: Readonly<Record<SpendGrouping, string>> = {
  team: 'Team',
  member: 'Person',
  key: 'Key',
  model: 'Model',
  code: 'Refusal',
}

function readGrouping(text: string | undefined): SpendGrouping {
  return text !== undefined && Object.hasOwn(groupings, text) ? (text as SpendGrouping) : 'team'
}

export function SpendScreen() {
  const { search, set } = useAddress()
  const zone = useZone()
  const event = useRead(readOf<EventRecord>('/event'))
  const { live } = usePageParts()
  const range = readRange(search.range)
  const by = readGrouping(search.by)
  // Rounded to the buckets of sums: others ask for the same, and nothing is added up from single calls.
  const [openedAt] = useState(() => Math.floor(live.serverNow() / 300_000) * 300_000)
  const start = startOf(range, event.data, openedAt)
  const from = start === null ? undefined : new Date(start).toISOString()
  const filters = { from, team_id: search.team, model: search.model }
  const report = useReadPages(readOf<SpendReport>('/spend', { by, ...filters, limit: 100 }), {
    isOff: event.data === undefined,
  })
  const step = chooseStep(start === null ? 24 * 3_600_000 : openedAt - start)
  const series = useRead(readOf<SpendSeries>('/series/spend', { ...filters, step, time_zone: zone }), {
    everyMs: 30_000,
    isOff: event.data === undefined,
  })
  const { first } = report
  return (
    <>
      <PageHead title="Spend">
        <SegmentedControl
          aria-label="Time range"
          size="xs"
          value={range}
          onChange={value => set({ range: value === 'event' ? undefined : value })}
          data={Object.entries(rangeNames).map(([value, label]) => ({ value, label }))}
        />
        <DownloadLink href={withQuery('/spend/export.csv', { ...filters, bom: true })}>CSV</DownloadLink>
      </PageHead>
      {search.team === undefined && search.model === undefined ? null : (
        <div className="row wrap">
          {(['team', 'model'] as const).map(name =>
            search[name] === undefined ? null : (
              <FilterChip key={name} onClear={() => set({ [name]: undefined })}>
                {name}: <ForeignText text={search[name] ?? ''} most={40} />
              </FilterChip>
            ),
          )}
        </div>
      )}
      <Card title="Over time" note={`per ${step}`}>
        <Loaded read={series} what="The spend chart" height={220}>
          {reply => <SpendChart reply={reply} step={stepMs(step)} now={openedAt} range={range} />}
        </Loaded>
      </Card>
      <TableCard
        title={
          first === undefined ? (
            'Totals'
          ) : (
            <>
              <Money nano={first.total.cost_nano} />{' '}
              <span className="muted">
                {countOf(first.total.calls, 'call')}, {formatCount(first.total.refused)} refused
              </span>
            </>
          )
        }
        action={
          <SegmentedControl
            aria-label="Group by"
            size="xs"
            value={by}
            onChange={value => set({ by: value === 'team' ? undefined : value })}
            data={Object.entries(groupings).map(([value, label]) => ({ value, label }))}
          />
        }
        read={report}
        rows={report.rows}
        what="The totals"
        height={300}
        none="No calls in this range"
        caption={`Spend by ${groupings[by].toLowerCase()}`}
        columns={columnsOf(by, first?.total.cost_nano ?? 0)}
        idOf={identify}
        total={first?.total.count ?? report.rows.length}
        more={report.more}
      />
    </>
  )
}

function identify({ team_id, member_id, key, model, code }: SpendReportItem): string {
  return [team_id, member_id, key, model, code].map(each => each ?? '').join('/')
}

function columnsOf(by: SpendGrouping, total: number): readonly Column<SpendReportItem>[] {
  return [
    { id: 'name', head: groupings[by], cell: item => <Name item={item} by={by} /> },
    {
      id: 'bar',
      head: 'Share',
      from: 768,
      width: '30%',
      cell: ({ cost_nano }) => (
        <svg className="bar-svg" style={{ height: 6 }} aria-hidden preserveAspectRatio="none">
          <rect width="100%" height="100%" fill="var(--sunken)" />
          <rect
            width={`${total > 0 ? (cost_nano / total) * 100 : 0}%`}
            height="100%"
            fill="var(--series-1)"
          />
        </svg>
      ),
    },
    {
      id: 'share',
      head: <span className="hidden-text">Percent</span>,
      isEnd: true,
      from: 600,
      cell: ({ cost_nano }) => (
        <span className="muted">{total > 0 ? formatShare(cost_nano / total) : '–'}</span>
      ),
    },
    { id: 'cost', head: 'Spent', isEnd: true, cell: ({ cost_nano }) => <Money nano={cost_nano} isStrong /> },
    { id: 'calls', head: 'Calls', isEnd: true, cell: ({ calls }) => formatCount(calls) },
    { id: 'refused', head: 'Refused', isEnd: true, from: 600, cell: ({ refused }) => formatCount(refused) },
  ]
}

function Name({ item, by }: { readonly item: SpendReportItem; readonly by: SpendGrouping }) {
  const { team_id: team, team_alias, member_name, key, key_name, key_alias, model, code } = item
  const ofTeam =
    team === undefined ? null : (
      <Link to="/console/teams/$team" params={{ team }}>
        <ForeignName name={team_alias ?? team} />
      </Link>
    )
  if (by === 'team') return ofTeam
  if (by === 'member')
    return (
      <span>
        {member_name === null || member_name === undefined ? (
          <span className="faint">keys without a person</span>
        ) : (
          <ForeignName name={member_name} />
        )}{' '}
        <span className="small">{ofTeam}</span>
      </span>
    )
  if (by === 'key')
    return (
      <span>
        <Link to="/console/calls" search={{ key }}>
          <ForeignText text={key_alias ?? key_name ?? 'unnamed key'} most={40} />
        </Link>{' '}
        <code className="faint">{key_name?.slice(-4)}</code> <span className="small">{ofTeam}</span>
      </span>
    )
  if (by === 'code')
    return (
      <Link to="/console/calls" search={{ outcome: 'refused', code }}>
        <code>{code}</code>
      </Link>
    )
  return model === null || model === undefined ? (
    <span className="faint">unknown model</span>
  ) : (
    <Link to="/console/spend" search={{ model }}>
      <ForeignId text={model} most={60} />
    </Link>
  )
}

function SpendChart({
  reply,
  step,
  now,
  range,
}: {
  readonly reply: SpendSeries
  readonly step: number
  readonly now: number
  readonly range: RangeName
}) {
  const [all] = reply.series
  if (all === undefined || reply.from === null) return <Empty>No spend in this range</Empty>
  const start = Date.parse(reply.from)
  const costs = new Map(all.points.map(({ at, cost_nano }) => [Date.parse(at), cost_nano]))
  const points = [{ at: start, value: 0 }]
  let sum = 0
  for (let at = start; at < now; at += step) {
    sum += costs.get(at) ?? 0
    points.push({ at: Math.min(at + step, now), value: sum })
  }
  const total = formatMoney(all.cost_nano)
  return (
    <AreaChart
      points={points}
      from={start}
      until={Math.max(now, start + step)}
      formatValue={formatAxisMoney}
      summary={`Spend rose to ${total} (${rangeNames[range].toLowerCase()})`}
    />
  )
}
