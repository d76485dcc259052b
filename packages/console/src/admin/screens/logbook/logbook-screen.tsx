// Logbook screen: the log entries of all teams, one per line, newest first and followed live. Each opens in its conversation.

import type { LogbookLine, LogbookPage } from '@fairgate/contracts/console/logbook.ts'
import { readEntryTimes } from '@fairgate/contracts/logbook/entry-times.ts'
import { useNavigate } from '@tanstack/react-router'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf, formatBytes } from '../../../format/number.ts'
import { shortenSession } from '../../../format/session.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useFollowedList } from '../../../live/use-followed-list.ts'
import { Badge } from '../../../show/badge.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { Claim } from '../../../show/entry-moment.tsx'
import { FilterField } from '../../../show/filter-field.tsx'
import { FollowSwitch, WaitingButton } from '../../../show/followed-list.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { EntryLink, toEntry, toSession } from '../session/session-link.tsx'
import { TeamLink } from '../teams/team-link.tsx'
import { TeamSelect } from '../teams/team-select.tsx'
import { countFitting, type EntryBatch, isFiltered, takeFitting, toLogbookQuery } from './logbook-filter.ts'

const pageSize = 100
/** The filters offer the tools and events of this many newest entries. */
const maxNewest = 200
const idOf = ({ team_id, seq }: LogbookLine) => `${team_id}#${seq}`

export function LogbookScreen() {
  const { search, set, clear } = useAddress()
  const navigate = useNavigate()
  const list = useFollowedList<LogbookLine, LogbookPage, { readonly items: readonly EntryBatch[] }>({
    path: '/logbook',
    filter: toLogbookQuery(search),
    pageSize,
    topic: search.team === undefined ? 'entries' : `entries:${search.team}`,
    idOf,
    countFresh: ({ items }) => countFitting(search, items),
    // The list is sorted by event time, but teams also push entries from hours ago.
    takeArrived: ({ items }) => takeFitting(search, items),
  })
  // Read without the tool and event filters, so that the fields offer other values too.
  const newest = useRead(readOf<LogbookPage>('/logbook', { team_id: search.team, limit: maxNewest }))
  const known = [...(newest.data?.items ?? []), ...list.rows]
  const open = ({ team_id, seq, tool, session_id }: LogbookLine) =>
    void navigate(session_id === null ? toEntry(team_id, seq) : toSession({ team_id, session_id, tool, seq }))
  return (
    <>
      <PageHead title="Logbook">
        <FollowSwitch list={list} />
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
        <WaitingButton list={list} what={countOf(list.waiting, 'new entry', 'new entries')} />
      </div>
      <TableCard
        {...list}
        what="The logbook"
        height={480}
        none="No log entries yet. They appear here as teams push their work."
        filter={isFiltered(search) ? { none: 'No entries match this filter.', clear } : null}
        caption="Log entries, newest first; new arrivals at the top"
        columns={columns}
        idOf={idOf}
        open={open}
      />
    </>
  )
}

const columns: readonly Column<LogbookLine>[] = [
  {
    id: 'time',
    head: 'Time',
    cell: line => <Moment at={readEntryTimes(line).at} as="clock" className="mono nowrap" />,
  },
  { id: 'team', head: 'Team', cell: ({ team_id }) => <TeamLink team={team_id} className="logbook-team" /> },
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
        <ForeignId className="faint nowrap" text={event ?? 'no event'} most={32} />{' '}
        {is_late ? <Badge tone="warn">late</Badge> : null}
        <Claim at={readEntryTimes(times).claimed} /> <ForeignText text={text} most={160} />
      </span>
    ),
  },
  {
    id: 'session',
    head: 'Session',
    from: 768,
    cell: ({ team_id: team, seq, tool, session_id: session }) => (
      <EntryLink
        team={team}
        seq={seq}
        session={session}
        tool={tool}
        className={session === null ? 'faint' : 'nowrap'}
      >
        {session === null ? (
          <ForeignText text={tool ?? 'no tool'} most={16} />
        ) : (
          <>
            <ForeignText text={tool ?? 'session'} most={16} /> · <ForeignId text={shortenSession(session)} />
          </>
        )}
      </EntryLink>
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
