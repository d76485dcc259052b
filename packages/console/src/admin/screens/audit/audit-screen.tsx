// Who changed what, when and why; what was before and after.

import type { AuditPage, AuditRow } from '@fairgate/contracts/management/audit.ts'
import { Button, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { compareStates } from './compare-states.ts'

export function AuditScreen() {
  const search = useSearch({ from: '/console/audit' })
  const navigate = useNavigate({ from: '/console/audit' })
  return (
    <>
      <PageHead title="Audit" />
      <TeamFilter
        value={search.subject}
        onChange={subject => void navigate({ search: old => ({ ...old, subject }) })}
      />
      <AuditRows team={search.subject} />
    </>
  )
}

function TeamFilter({
  value,
  onChange,
}: {
  readonly value: string | undefined
  readonly onChange: (team: string | undefined) => void
}) {
  const [text, setText] = useState(value ?? '')
  return (
    <form
      className="row wrap"
      onSubmit={event => {
        event.preventDefault()
        onChange(text.trim() === '' ? undefined : text.trim())
      }}
    >
      <TextInput
        aria-label="Id of a team"
        placeholder="Team id ↵"
        value={text}
        maxLength={128}
        onChange={event => setText(event.currentTarget.value)}
      />
      {value === undefined ? null : (
        <button
          type="button"
          className="chip"
          aria-pressed
          onClick={() => {
            setText('')
            onChange(undefined)
          }}
        >
          team: <ForeignText text={value} most={40} /> ×
        </button>
      )}
    </form>
  )
}

/** Of one team, or of everything. */
export function AuditRows({
  team,
  pageSize = 100,
}: {
  readonly team: string | undefined
  readonly pageSize?: number
}) {
  const { send } = usePageParts()
  const audit = useInfiniteQuery<
    AuditPage,
    RequestFailure,
    { pages: AuditPage[] },
    readonly unknown[],
    number | null
  >({
    queryKey: ['/audit', { team, pageSize }],
    queryFn: ({ pageParam, signal }) =>
      send<AuditPage>('GET', '/audit', {
        query: { team_id: team, limit: pageSize, before_id: pageParam },
        signal,
      }),
    initialPageParam: null,
    getNextPageParam: page => page.next_before_id,
  })
  const rows = audit.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Card isFlush>
      <Loaded read={audit} what="The audit" height={480}>
        {() =>
          rows.length === 0 ? (
            <Empty>Nothing was changed{team === undefined ? ' yet' : ' for this team'}.</Empty>
          ) : (
            <>
              <DataTable
                caption="Changes, newest first"
                columns={columns}
                rows={rows}
                idOf={({ id }) => String(id)}
              />
              {audit.hasNextPage ? (
                <Button
                  variant="subtle"
                  fullWidth
                  loading={audit.isFetchingNextPage}
                  onClick={() => void audit.fetchNextPage()}
                >
                  Older changes
                </Button>
              ) : null}
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

const columns: readonly Column<AuditRow>[] = [
  { id: 'at', head: 'Time', cell: ({ at }) => <Moment at={at} /> },
  { id: 'actor', head: 'Who', cell: ({ actor }) => <ForeignName name={actor} /> },
  { id: 'action', head: 'What', cell: ({ action }) => <code>{action}</code> },
  {
    id: 'target',
    head: 'On',
    from: 600,
    cell: ({ team_id, target }) => (
      <span>
        <ForeignText text={team_id} most={32} />{' '}
        {target === team_id ? null : <code className="faint">{target.slice(0, 12)}</code>}
      </span>
    ),
  },
  { id: 'change', head: 'From → to', from: 768, cell: row => <Change row={row} /> },
  {
    id: 'reason',
    head: 'Why',
    from: 1024,
    cell: ({ reason }) => <ForeignText text={reason ?? ''} most={120} />,
  },
]

const mostShown = 2

function Change({ row: { before, after } }: { readonly row: AuditRow }) {
  const [isWhole, setWhole] = useState(false)
  const changes = compareStates(before, after)
  const shown = isWhole ? changes : changes.slice(0, mostShown)
  return (
    <ul className="audit-changes">
      {shown.map(({ name, from, to }) => (
        <li key={name}>
          <span className="muted">
            <ForeignText text={name} most={40} />
          </span>{' '}
          {from === null ? null : (
            <span className="changed-from">
              <ForeignText text={from} most={80} />
            </span>
          )}{' '}
          {to === null ? <span className="faint">gone</span> : <ForeignText text={to} most={80} />}
        </li>
      ))}
      {changes.length > mostShown ? (
        <li>
          <Button variant="subtle" size="compact-xs" onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Fewer' : `${changes.length - mostShown} more`}
          </Button>
        </li>
      ) : null}
    </ul>
  )
}
