// The log of all teams, an entry a line, the newest first and followed live; each opens in its conversation.

import type { LogbookLine, LogbookPage } from '@fairgate/contracts/console/logbook.ts'
import { readEntryTimes } from '@fairgate/contracts/logbook/entry-times.ts'
import { Button, Switch } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { morePagesOf } from '../../../api/more-pages.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf, formatBytes } from '../../../format/number.ts'
import { shortenSession } from '../../../format/session.ts'
import { useFollowedList } from '../../../live/use-followed-list.ts'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { Claim } from '../../../show/entry-moment.tsx'
import { FilterField } from '../../../show/filter-field.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { TeamLink } from '../teams/team-link.tsx'
import { TeamSelect } from '../teams/team-select.tsx'
import { countFitting, type EntryBatch, isFiltered, takeFitting, toLogbookQuery } from './logbook-filter.ts'

const from = '/console/logbook'
const pageSize = 100
/** Their tools and events are offered by the filters. */
const maxNewest = 200
const idOf = ({ team_id, seq }: LogbookLine) => `${team_id}#${seq}`

export function LogbookScreen() {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const { read, rows, isFollowing, setFollowing, waiting, showWaiting } = useFollowedList<
    LogbookLine,
    LogbookPage,
    { readonly items: readonly EntryBatch[] }
  >({
    path: '/logbook',
    filter: toLogbookQuery(search),
    pageSize,
    topic: search.team === undefined ? 'entries' : `entries:${search.team}`,
    idOf,
    countFresh: ({ items }) => countFitting(search, items),
    // The list is in the order of the events' own times, and teams push what happened hours ago.
    takeArrived: ({ items }) => takeFitting(search, items),
  })
  // Without the filter, so that it offers what else there is.
  const newest = useRead(readOf<LogbookPage>('/logbook', { team_id: search.team, limit: maxNewest }))
  const known = [...(newest.data?.items ?? []), ...rows]
  const set = (change: Readonly<Record<string, string | undefined>>) =>
    void navigate({ search: old => ({ ...old, ...change }) })
  const open = ({ team_id: team, seq, tool, session_id: session }: LogbookLine) =>
    void (session === null
      ? navigate({ to: '/console/entries/$team/$seq', params: { team, seq: String(seq) } })
      : navigate({
          to: '/console/sessions/$team/$session',
          params: { team, session },
          search: { tool: tool ?? undefined, seq: String(seq) },
        }))
  return (
    <>
      <PageHead title="Logbook">
        <Switch
          label="Follow"
          checked={isFollowing}
          onChange={event => setFollowing(event.currentTarget.checked)}
        />
      </PageHead>
      <div className="row wrap">
        <TeamSelect value={search.team} onChange={team => set({ team })} />
        <FilterField
          label="Tool"
          placeholder="Any tool"
          names={known.map(({ tool }) => tool)}
          value={search.tool}
          onChange={tool => set({ tool })}
        />
        <FilterField
          label="Event"
          placeholder="Any event"
          names={known.map(({ event }) => event)}
          value={search.event}
          onChange={event => set({ event })}
        />
        {waiting > 0 ? (
          <Button size="xs" onClick={showWaiting}>
            ▲ {countOf(waiting, 'new entry', 'new entries')}
          </Button>
        ) : null}
      </div>
      <Card isFlush>
        <Loaded read={read} what="The logbook" height={480}>
          {() =>
            rows.length > 0 ? (
              <DataTable
                caption="Log entries, newest first; those that have just arrived stand on top"
                columns={columns}
                rows={rows}
                idOf={idOf}
                open={open}
                more={morePagesOf(read)}
              />
            ) : isFiltered(search) ? (
              <Empty
                action={
                  <Button variant="default" onClick={() => void navigate({ search: {} })}>
                    Clear the filter
                  </Button>
                }
              >
                No entry passes this filter.
              </Empty>
            ) : (
              <Empty>Nothing has been logged yet. Entries appear here as the teams push their work.</Empty>
            )
          }
        </Loaded>
      </Card>
    </>
  )
}

const columns: readonly Column<LogbookLine>[] = [
  {
    id: 'time',
    head: 'Time',
    cell: line => (
      <span className="mono nowrap">
        <Moment at={readEntryTimes(line).at} as="clock" />
      </span>
    ),
  },
  {
    id: 'team',
    head: 'Team',
    cell: ({ team_id }) => <TeamLink team={team_id} className="logbook-team" />,
  },
  {
    id: 'who',
    head: 'Who',
    from: 1024,
    cell: ({ student }) => (
      <span className="nowrap">
        <ForeignText text={student ?? ''} most={24} />
      </span>
    ),
  },
  {
    id: 'what',
    head: 'What',
    cell: ({ event, text, is_late, ...times }) => (
      <span className="logbook-line">
        <code className="faint nowrap">
          <ForeignText text={event ?? 'no event'} most={32} />
        </code>{' '}
        {is_late ? <Badge tone="warn">late</Badge> : null}
        <Claim at={readEntryTimes(times).claimed} /> <ForeignText text={text} most={160} />
      </span>
    ),
  },
  {
    id: 'session',
    head: 'Session',
    from: 768,
    cell: ({ team_id: team, seq, tool, session_id: session }) =>
      session === null ? (
        <Link to="/console/entries/$team/$seq" params={{ team, seq: String(seq) }} className="faint">
          <ForeignText text={tool ?? 'no tool'} most={16} />
        </Link>
      ) : (
        <Link
          to="/console/sessions/$team/$session"
          params={{ team, session }}
          search={{ tool: tool ?? undefined, seq: String(seq) }}
          className="nowrap"
        >
          <ForeignText text={tool ?? 'session'} most={16} /> ·{' '}
          <code>
            <ForeignText text={shortenSession(session)} />
          </code>
        </Link>
      ),
  },
  {
    id: 'received',
    head: 'Received',
    from: 1280,
    cell: ({ received_at }) => <Moment at={received_at} as="ago" />,
  },
  {
    id: 'size',
    head: 'Size',
    isEnd: true,
    from: 1280,
    cell: ({ bytes }) => <span className="nowrap">{formatBytes(bytes)}</span>,
  },
]
