// The recorders of a team: which clone, whose, when it was last heard, and what is wrong with it.

import type { RecordersReply } from '@fairgate/contracts/console/recorders.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatCount } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'

export function RecordersCard({ team }: { readonly team: string }) {
  const read = useRead(readOf<RecordersReply>('/recorders', { team_id: team }), { everyMs: 30_000 })
  useRefresh('sessions', [['/recorders']], 5000)
  return (
    <Card isFlush title="Recorders" note="one for each clone of a repository">
      <Loaded read={read} what="The recorders" height={44} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              No recorder was heard yet. It is installed once per repository; the claim page does it in one
              line.
            </Empty>
          ) : (
            <div className="table-frame">
              <table className="table">
                <caption className="hidden-text">Recorders of the team</caption>
                <thead>
                  <tr>
                    <th scope="col">Who</th>
                    <th scope="col">Tools</th>
                    <th scope="col" className="from-600">
                      Last entry
                    </th>
                    <th scope="col" className="end from-1024">
                      Entries
                    </th>
                    <th scope="col" className="end from-768">
                      Unsent
                    </th>
                    <th scope="col" className="from-1024">
                      Version
                    </th>
                    <th scope="col">State</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(recorder => (
                    <tr key={recorder.clone_id}>
                      <td>
                        <ForeignText
                          text={
                            (recorder.members.length > 0
                              ? recorder.members.map(({ name }) => name)
                              : recorder.students
                            ).join(', ') || 'unknown'
                          }
                          most={48}
                        />{' '}
                        <code className="faint">
                          <ForeignText text={recorder.clone_id} most={10} />
                        </code>
                      </td>
                      <td>
                        <ForeignText
                          text={recorder.tools.map(({ tool }) => tool).join(', ') || '–'}
                          most={60}
                        />
                      </td>
                      <td className="from-600">
                        <Moment at={recorder.last_received} as="ago" />
                      </td>
                      <td className="end from-1024">{formatCount(recorder.entries)}</td>
                      <td className="end from-768 nowrap">
                        {recorder.unsent === null ? '–' : formatCount(recorder.unsent)}
                        {recorder.spool_age_ms === null
                          ? ''
                          : `, since ${formatDuration(recorder.spool_age_ms)}`}
                      </td>
                      <td className="from-1024">
                        {recorder.version === null ? '–' : <ForeignText text={recorder.version} most={24} />}
                      </td>
                      <td>
                        {recorder.warnings.length === 0 ? (
                          <Badge tone="ok">fine</Badge>
                        ) : (
                          <div className="recorder-warnings">
                            {recorder.warnings.map(({ code, text }) => (
                              <div key={code} className="small">
                                <Badge tone="warn">{code.replaceAll('_', ' ')}</Badge>{' '}
                                <ForeignText text={text} most={200} />
                              </div>
                            ))}
                          </div>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Card>
  )
}
