// The latest changes across the event, one line each.
import type { AuditPage } from '@fairgate/contracts/management/audit.ts'
import { Link } from '@tanstack/react-router'
import { readOf, useRead } from '../../../api/use-read.ts'
import { groupBulk } from '../../../format/group-bulk.ts'
import { countOf } from '../../../format/number.ts'
import { Card } from '../../../show/card.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'

const maxShown = 10

export function NewestChanges() {
  // An action on all teams writes one audit row per team; it is grouped into one line here.
  const audit = useRead(readOf<AuditPage>('/audit', { limit: 200 }), { everyMs: 15_000 })
  return (
    <Card title="Recent changes" action={<Link to="/console/audit">Open audit log</Link>}>
      <Loaded read={audit} what="The audit log" height={200}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>No changes yet</Empty>
          ) : (
            <ul className="newest-changes">
              {groupBulk(items)
                .slice(0, maxShown)
                .map(([{ id, at, actor, action, team_id, reason }, ...others]) => (
                  <li key={id}>
                    <Moment at={at} className="mono muted" />
                    <code className="cut">{action}</code>
                    <span className="cut">
                      {others.length > 0 ? (
                        countOf(others.length + 1, 'team')
                      ) : (
                        <ForeignText text={team_id} most={32} />
                      )}
                    </span>
                    <span className="cut muted">
                      <ForeignText text={reason ?? ''} most={120} />
                    </span>
                    <span className="cut">
                      <ForeignName name={actor} most={24} />
                    </span>
                  </li>
                ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
