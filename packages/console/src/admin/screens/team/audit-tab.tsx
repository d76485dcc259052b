// Audit tab: every change that organisers made to a team, with who, when and why.

import type { AuditPage, AuditRow } from '@fairgate/contracts/management/audit.ts'
import { readOf, useReadPages } from '../../../api/use-read.ts'
import { listDecided } from '../../../format/list-differences.ts'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { MoreButton } from '../../../show/more-button.tsx'

export function AuditTab({ team }: { readonly team: string }) {
  const read = useReadPages(readOf<AuditPage>('/audit', { team_id: team, limit: 50 }))
  return (
    <TableCard
      title="Audit"
      note="append-only, newest first"
      read={read}
      rows={read.rows}
      what="The audit log"
      height={44}
      lines={6}
      none="No changes yet"
      isWhole
      className="audit-table"
      caption="Changes to the team"
      columns={columns}
      idOf={({ id }) => String(id)}
    >
      <div className="timeline-more">
        <MoreButton more={read.more}>Show older changes</MoreButton>
      </div>
    </TableCard>
  )
}

const maxDifferences = 5

const columns: readonly Column<AuditRow>[] = [
  { id: 'when', head: 'When', cell: ({ at }) => <Moment at={at} /> },
  { id: 'who', head: 'Who', cell: ({ actor }) => <ForeignText text={actor} most={40} /> },
  {
    id: 'what',
    head: 'What',
    cell: ({ action, target, team_id }) => (
      <>
        <code>{action}</code>
        {target === team_id ? null : (
          <div className="faint small mono">
            <ForeignText text={target.slice(0, 16)} most={16} />
          </div>
        )}
      </>
    ),
  },
  { id: 'change', head: 'Change', from: 768, cell: row => <Changes row={row} /> },
  {
    id: 'why',
    head: 'Why',
    from: 768,
    cell: ({ reason }) =>
      reason === undefined ? <span className="faint">–</span> : <ForeignText text={reason} most={200} />,
  },
]

function Changes({ row: { before, after } }: { readonly row: AuditRow }) {
  const differences = listDecided(before, after)
  return (
    <>
      {differences.slice(0, maxDifferences).map(({ name, before: from, after: to }) => (
        <div key={name} className="small audit-change">
          <span className="muted">
            <ForeignText text={name} most={40} />:
          </span>{' '}
          {from === null ? null : (
            <>
              <ForeignText text={from} most={60} /> →{' '}
            </>
          )}
          <span className="strong">{to === null ? 'nothing' : <ForeignText text={to} most={60} />}</span>
        </div>
      ))}
      {differences.length > maxDifferences ? (
        <div className="small faint">and {differences.length - maxDifferences} more</div>
      ) : null}
    </>
  )
}
