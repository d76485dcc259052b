// Recorders of a team: clone, owner, last entry and warnings.

import type { RecordersReply } from '@fairgate/contracts/console/recorders.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatCount } from '../../../format/number.ts'
import { namePeople } from '../../../format/session.ts'
import { formatDuration } from '../../../format/time.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'

export function RecordersCard({ team }: { readonly team: string }) {
  const read = useRead(readOf<RecordersReply>('/recorders', { team_id: team }), { everyMs: 30_000 })
  useRefresh('sessions', [['/recorders']], 5000)
  return (
    <TableCard
      title="Recorders"
      note="one per clone of a repository"
      read={read}
      rows={read.data?.items ?? []}
      what="The recorders"
      height={44}
      lines={2}
      none="No recorders yet. Each repository needs one; the claim page installs it with one command."
      caption="Recorders of the team"
      columns={columns}
      idOf={({ clone_id }) => clone_id}
    />
  )
}

const columns: readonly Column<RecordersReply['items'][number]>[] = [
  {
    id: 'who',
    head: 'Who',
    cell: recorder => (
      <>
        <ForeignText text={namePeople(recorder) || 'unknown'} most={48} />{' '}
        <ForeignId className="faint" text={recorder.clone_id} most={10} />
      </>
    ),
  },
  {
    id: 'tools',
    head: 'Tools',
    cell: ({ tools }) => <ForeignText text={tools.map(({ tool }) => tool).join(', ') || '–'} most={60} />,
  },
  { id: 'last', head: 'Last entry', from: 600, cell: row => <Moment at={row.last_received} as="ago" /> },
  { id: 'entries', head: 'Entries', isEnd: true, from: 1024, cell: ({ entries }) => formatCount(entries) },
  {
    id: 'unsent',
    head: 'Unsent',
    isEnd: true,
    from: 768,
    cell: ({ unsent, spool_age_ms: age }) => (
      <span className="nowrap">
        {unsent === null ? '–' : formatCount(unsent)}
        {age === null ? '' : `, since ${formatDuration(age)}`}
      </span>
    ),
  },
  {
    id: 'version',
    head: 'Version',
    from: 1024,
    cell: ({ version }) => (version === null ? '–' : <ForeignText text={version} most={24} />),
  },
  {
    id: 'state',
    head: 'State',
    cell: ({ warnings }) =>
      warnings.length === 0 ? (
        <Badge tone="ok">healthy</Badge>
      ) : (
        <div className="recorder-warnings">
          {warnings.map(({ code, text }) => (
            <div key={code} className="small">
              <Badge tone="warn">{code.replaceAll('_', ' ')}</Badge> <ForeignText text={text} most={200} />
            </div>
          ))}
        </div>
      ),
  },
]
