// The newest changes of the whole event, in a line each.
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
  // An action on all teams leaves a row for each of them, and is one line here.
  const audit = useRead(readOf<AuditPage>('/audit', { limit: 200 }), { everyMs: 15_000 })
  return (
    <Card title="What happened, who, why" action={<Link to="/console/audit">The whole audit</Link>}>
      <Loaded read={audit} what="The audit" height={200}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>Nothing was changed yet.</Empty>
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
