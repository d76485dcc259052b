// Evidence tab: the head of a team's log chain, its verification, and the log as files.

import type { BoardList, BoardRecord } from '@fairgate/contracts/management/boards.ts'
import type { LogVerification } from '@fairgate/contracts/management/log-verification.ts'
import { ShieldCheck } from 'lucide-react'
import { withQuery } from '../../../api/request.ts'
import { readOf, useAction, useRead } from '../../../api/use-read.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { ForeignId } from '../../../show/foreign.tsx'
import { DownloadLink, IconButton } from '../../../show/icon-button.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Empty, Loaded, PartError } from '../../../show/states.tsx'

export function EvidenceTab({ team }: { readonly team: string }) {
  const boards = useRead(readOf<BoardList>('/logs/boards', { team_id: team }))
  useRefresh('sessions', [['/logs/boards']], 2000)
  return (
    <>
      <div className="team-halves">
        <Card title="Log chain">
          <Loaded read={boards} what="The board" height={24} lines={4}>
            {({ boards: [board] }) =>
              board === undefined ? <Empty>This team has no board</Empty> : <Board board={board} />
            }
          </Loaded>
        </Card>
        <Card title="Export">
          <p className="muted small">
            Each line has one entry as it was stored, with its number and its link in the chain.
          </p>
          <div className="row wrap evidence-files">
            {(['ndjson', 'csv'] as const).map(kind => (
              <DownloadLink
                key={kind}
                href={withQuery(`/logs/export.${kind}`, { team_id: team })}
                name={`log.${kind}`}
              >
                {`Entries, ${kind.toUpperCase()}`}
              </DownloadLink>
            ))}
          </div>
        </Card>
      </div>
      <Verification team={team} />
    </>
  )
}

function Board({ board: { head, locked, lock_at, event_lock } }: { readonly board: BoardRecord }) {
  return (
    <dl className="board-facts">
      <dt>Entries</dt>
      <dd className="strong">{formatCount(head.seq)}</dd>
      <dt>Head</dt>
      <dd>
        {head.seq === 0 ? (
          <span className="faint">no entries yet</span>
        ) : (
          <span className="row">
            <code className="head-hash">{head.chain.match(/.{1,8}/g)?.join(' ')}</code>
            <CopyButton text={head.chain} label="Copy head" isIcon />
          </span>
        )}
      </dd>
      <dt>Board</dt>
      <dd>{locked ? <Badge tone="warn">locked</Badge> : <Badge tone="ok">accepts entries</Badge>}</dd>
      {lock_at === null ? null : (
        <>
          <dt>Locks at</dt>
          <dd>
            <Moment at={lock_at} />
          </dd>
        </>
      )}
      {event_lock === undefined ? null : (
        <>
          <dt>Event lock</dt>
          <dd>
            <Moment at={event_lock.locks_at} />, late entries until <Moment at={event_lock.late_until} />
          </dd>
        </>
      )}
    </dl>
  )
}

const problemWords: Readonly<Record<string, string>> = {
  missing: 'is missing',
  altered: 'differs from what was acknowledged',
  columns_altered: 'does not match its columns',
  commitment_altered: 'has a different commitment',
  cut: 'is where the chain was cut',
  head_differs: 'does not lead to the head',
}

function Verification({ team }: { readonly team: string }) {
  const verify = useAction<undefined, LogVerification>({
    method: 'GET',
    path: '/logs/verify',
    query: () => ({ team_id: team }),
    changes: [],
  })
  const { data, error } = verify
  return (
    <Card
      title="Chain verification"
      action={
        <IconButton
          icon={ShieldCheck}
          variant="filled"
          loading={verify.isPending}
          onClick={() => verify.mutate(undefined)}
        >
          Verify now
        </IconButton>
      }
    >
      <div aria-live="polite">
        {error !== null ? (
          <PartError what="The check" failure={error} retry={() => verify.mutate(undefined)} />
        ) : data === undefined ? (
          <p className="muted">
            Reads every stored entry and computes its link in the chain again. A long log takes a few seconds.
          </p>
        ) : (
          <div className="stack">
            <div className="notice" data-tone={data.ok ? 'ok' : 'bad'}>
              <div className="grow">
                {data.ok ? (
                  <>
                    <span className="strong">The chain is intact.</span>{' '}
                    {countOf(data.entries, 'entry matches', 'entries match')} what was acknowledged.
                  </>
                ) : (
                  <>
                    <span className="strong">The chain is broken.</span> Entry{' '}
                    {data.problem === null ? '' : formatCount(data.problem.seq)}{' '}
                    {problemWords[data.problem?.kind ?? ''] ?? data.problem?.kind}. Keep the data folder as it
                    is and compare it with a backup.
                  </>
                )}
              </div>
            </div>
            {data.recorders.length === 0 ? null : (
              <div className="table-frame">
                <table className="table">
                  <caption className="evidence-caption">
                    Entry numbers by recorder. A gap is not proof of tampering: a killed hook leaves one too.
                  </caption>
                  <thead>
                    <tr>
                      <th scope="col">Clone</th>
                      <th scope="col" className="end">
                        Entries
                      </th>
                      <th scope="col" className="end">
                        First to last
                      </th>
                      <th scope="col" className="end">
                        Missing
                      </th>
                      <th scope="col" className="end">
                        Repeated
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.recorders.map(({ id, entries, first, last, missing, repeated }) => (
                      <tr key={id}>
                        <td>
                          <ForeignId text={id} most={16} />
                        </td>
                        <td className="end">{formatCount(entries)}</td>
                        <td className="end nowrap">
                          {formatCount(first)} to {formatCount(last)}
                        </td>
                        <td className="end">{formatCount(missing)}</td>
                        <td className="end">{formatCount(repeated)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </div>
        )}
      </div>
    </Card>
  )
}
