// Every change that organisers made to a team: who, when, what, and why.

import type { AuditPage, AuditRow } from '@fairgate/contracts/management/audit.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { morePagesOf } from '../../../api/more-pages.ts'
import type { RequestFailure } from '../../../api/request.ts'
import { listDecided } from '../../../format/list-differences.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'

export function AuditTab({ team }: { readonly team: string }) {
  const { send } = usePageParts()
  // This list goes on by the number of its last row, unlike others.
  const read = useInfiniteQuery<
    AuditPage,
    RequestFailure,
    { pages: AuditPage[] },
    readonly unknown[],
    number | null
  >({
    queryKey: ['/audit', { team_id: team }, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      send<AuditPage>('GET', '/audit', { query: { team_id: team, limit: 50, before_id: pageParam }, signal }),
    initialPageParam: null,
    getNextPageParam: page => page.next_before_id,
  })
  return (
    <Card isFlush title="Audit" note="append-only; newest first">
      <Loaded read={read} what="The audit" height={44} lines={6}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          if (rows.length === 0) return <Empty>Nothing was changed yet.</Empty>
          return (
            <>
              <div className="table-frame">
                <table className="table audit-table">
                  <caption className="hidden-text">Changes of the team</caption>
                  <thead>
                    <tr>
                      <th scope="col">When</th>
                      <th scope="col">Who</th>
                      <th scope="col">What</th>
                      <th scope="col" className="from-768">
                        Change
                      </th>
                      <th scope="col" className="from-768">
                        Why
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map(row => (
                      <AuditLine key={row.id} row={row} />
                    ))}
                  </tbody>
                </table>
              </div>
              <div className="timeline-more">
                <MoreButton more={morePagesOf(read)}>Show what was before</MoreButton>
              </div>
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

const mostDifferences = 5

function AuditLine({
  row: { at, actor, action, target, team_id, before, after, reason },
}: {
  row: AuditRow
}) {
  const differences = listDecided(before, after)
  return (
    <tr>
      <td className="nowrap">
        <Moment at={at} />
      </td>
      <td>
        <ForeignText text={actor} most={40} />
      </td>
      <td>
        <code>{action}</code>
        {target === team_id ? null : (
          <div className="faint small mono">
            <ForeignText text={target.slice(0, 16)} most={16} />
          </div>
        )}
      </td>
      <td className="from-768">
        {differences.slice(0, mostDifferences).map(({ name, before: from, after: to }) => (
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
        {differences.length > mostDifferences ? (
          <div className="small faint">and {differences.length - mostDifferences} more</div>
        ) : null}
      </td>
      <td className="from-768">
        {reason === undefined ? <span className="faint">–</span> : <ForeignText text={reason} most={200} />}
      </td>
    </tr>
  )
}
