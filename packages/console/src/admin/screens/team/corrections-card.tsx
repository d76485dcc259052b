// A team's grants, refunds and corrections from the audit log, with who, when and why.

import type { AuditPage, AuditRow } from '@fairgate/contracts/management/audit.ts'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { readOf, useReadPages } from '../../../api/use-read.ts'
import { formatExact } from '../../../format/money.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'

const words: Readonly<Record<string, string>> = {
  'team.grant': 'Grant',
  'call.refund': 'Refund',
  'call.adjust': 'Correction',
}

export function CorrectionsCard({ team }: { readonly team: string }) {
  const { change } = useAddress()
  // The audit route has no filter by action, so whole pages are read and filtered here.
  const read = useReadPages(readOf<AuditPage>('/audit', { team_id: team, limit: 200 }))
  const rows = read.rows.filter(({ action }) => action in words)
  return (
    <Card
      title="Grants and corrections"
      action={
        <Button size="xs" variant="default" onClick={() => change({ do: 'correct' }, true)}>
          Correct spend…
        </Button>
      }
    >
      <Loaded read={read} what="The corrections" height={32} lines={3}>
        {() => (
          <div className="stack">
            {rows.length === 0 ? (
              <Empty>
                {read.hasNextPage
                  ? 'No grants or corrections among the latest changes'
                  : 'No grants or corrections yet'}
              </Empty>
            ) : (
              <ul className="stack" aria-label="Grants and corrections">
                {rows.map(row => (
                  <Correction key={row.id} row={row} team={team} />
                ))}
              </ul>
            )}
            <MoreButton more={read.more}>Search older changes</MoreButton>
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Correction({ row, team }: { readonly row: AuditRow; readonly team: string }) {
  const { action, actor, at, target, before, after, reason } = row
  return (
    <li className="sunken-box" data-correction={action}>
      <div className="row-between wrap">
        <span className="row wrap">
          <span className="strong">{words[action]}</span>
          <Change before={before} after={after} />
        </span>
        <span className="muted small">
          <ForeignText text={actor} most={40} />, <Moment at={at} />
        </span>
      </div>
      {reason === undefined ? null : <ForeignText text={reason} most={300} />}
      {action === 'team.grant' ? null : (
        <div className="small">
          <Link to="/console/calls" search={{ team, call: target }}>
            View call
          </Link>
        </div>
      )}
    </li>
  )
}

/** Granted amount or call cost, before and after. */
function Change({ before, after }: Pick<AuditRow, 'before' | 'after'>) {
  for (const name of ['granted_nano', 'left_nano']) {
    const from = before?.[name]
    const to = after?.[name]
    if (typeof from === 'number' && typeof to === 'number')
      return (
        <span className="nowrap">
          {formatExact(from)} → {formatExact(to)}
        </span>
      )
  }
  return null
}
