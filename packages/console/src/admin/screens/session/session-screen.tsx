// One session as a conversation: what was asked, what tools did, which calls of the gateway made it, and what it cost.

import type { SessionItem, SessionItemsReply, SessionView } from '@fairgate/contracts/console/session-view.ts'
import { SegmentedControl } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useRef } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { countOf, formatShare } from '../../../format/number.ts'
import { formatDuration } from '../../../format/time.ts'
import { useHotkeys } from '../../../frame/hotkeys.tsx'
import { usePageParts, useTopic } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded, PartError } from '../../../show/states.tsx'
import { Conversation } from './conversation.tsx'
import { idOf } from './item-place.ts'
import { readItem } from './read-item.ts'

const pageSize = 100

type Pages = { pages: SessionItemsReply[]; pageParams: unknown[] }
/** Which part is read: by a place in the list, or around an entry. */
type PageParam = Readonly<Record<string, string | number>>

export function SessionScreen() {
  const { team, session } = useParams({ from: '/console/sessions/$team/$session' })
  const { tool, view, seq } = useSearch({ from: '/console/sessions/$team/$session' })
  const navigate = useNavigate({ from: '/console/sessions/$team/$session' })
  const { send } = usePageParts()
  const queries = useQueryClient()
  const path = `/sessions/${encodeURIComponent(team)}/${encodeURIComponent(session)}`
  const facts = useRead(readOf<SessionView>(path, { tool }))
  const queryKey = [`${path}/items`, { tool, seq }]
  const first: PageParam = seq === undefined ? {} : { around: Number(seq) }
  const items = useInfiniteQuery<SessionItemsReply, RequestFailure, Pages, readonly unknown[], PageParam>({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      send<SessionItemsReply>('GET', `${path}/items`, {
        query: { tool, limit: pageSize, ...pageParam },
        signal,
      }),
    initialPageParam: first,
    getNextPageParam: ({ next }) => (next === null ? undefined : { after: next }),
    getPreviousPageParam: ({ previous }) => (previous === null ? undefined : { before: previous }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const rows = useMemo(() => uniqueItems(items.data?.pages ?? []), [items.data])
  // What comes in live stands at the end, unless the end is not read yet.
  useTopic<{ readonly items: readonly SessionItem[] }>(
    `session:${encodeURIComponent(team)}/${encodeURIComponent(session)}`,
    ({ items: fresh }) => {
      queries.setQueryData<Pages>(queryKey, old => appendItems(old, fresh))
      void queries.invalidateQueries({ queryKey: [path] })
    },
  )
  const isRaw = view === 'raw'
  return (
    <>
      <PageHead
        title={`Session ${session.slice(0, 8)}`}
        name={
          <code>
            <ForeignText text={session.slice(0, 8)} />
          </code>
        }
        crumbs={
          <>
            <Link to="/console/sessions" search={{ team }}>
              Sessions
            </Link>
            ›
            <Link to="/console/teams/$team" params={{ team }}>
              <ForeignText text={team} />
            </Link>
            › <code>{session.slice(0, 36)}</code>
            <CopyButton text={session} isIcon label="Copy the id" />
          </>
        }
        beside={facts.data === undefined ? null : <Badges facts={facts.data} />}
      >
        <SegmentedControl
          size="xs"
          aria-label="View"
          value={isRaw ? 'raw' : 'conversation'}
          onChange={value =>
            void navigate({ search: old => ({ ...old, view: value === 'raw' ? 'raw' : undefined }) })
          }
          data={[
            { value: 'conversation', label: 'Conversation' },
            { value: 'raw', label: 'Raw entries' },
          ]}
        />
      </PageHead>
      {facts.error === null ? null : <PartError what="The session" failure={facts.error} />}
      <div className="grid session-columns">
        <Outline rows={rows} />
        <Card>
          <Loaded read={items} what="The conversation" height={500}>
            {() =>
              rows.length === 0 ? (
                <Empty>This session has neither an entry nor a call.</Empty>
              ) : (
                <Conversation
                  team={team}
                  rows={rows}
                  isRaw={isRaw}
                  marked={seq === undefined ? null : Number(seq)}
                  earlier={items.hasPreviousPage ? () => void items.fetchPreviousPage() : null}
                  later={items.hasNextPage ? () => void items.fetchNextPage() : null}
                />
              )
            }
          </Loaded>
        </Card>
        <Loaded read={facts} what="The facts" height={300}>
          {found => <Facts facts={found} />}
        </Loaded>
      </div>
    </>
  )
}

function uniqueItems(pages: readonly SessionItemsReply[]): readonly SessionItem[] {
  const seen = new Map(pages.flatMap(({ items }) => items).map(item => [item.ref, item]))
  return [...seen.values()]
}

function appendItems(old: Pages | undefined, fresh: readonly SessionItem[]): Pages | undefined {
  const last = old?.pages.at(-1)
  if (old === undefined || last === undefined || last.next !== null) return old
  return { ...old, pages: [...old.pages.slice(0, -1), { ...last, items: [...last.items, ...fresh] }] }
}

function Badges({ facts: { tool, coverage, late, last_at } }: { readonly facts: SessionView }) {
  return (
    <span className="row wrap">
      {tool === null ? null : (
        <Badge tone="info">
          <ForeignText text={tool} most={24} />
        </Badge>
      )}
      {coverage === null ? null : (
        <Badge tone={coverage >= 0.6 ? 'ok' : 'warn'}>{formatShare(coverage)} covered</Badge>
      )}
      {late > 0 ? <Badge tone="warn">{countOf(late, 'late entry', 'late entries')}</Badge> : null}
      <span className="muted small">
        last <Moment at={last_at} as="ago" />
      </span>
    </span>
  )
}

function Outline({ rows }: { readonly rows: readonly SessionItem[] }) {
  const prompts = rows.flatMap(item => {
    const read = readItem(item)
    return read?.kind === 'prompt' ? [{ ref: item.ref, at: item.at, text: read.text }] : []
  })
  const here = useRef(0)
  const go = (index: number) => {
    const found = prompts[Math.max(0, Math.min(prompts.length - 1, index))]
    if (found === undefined) return
    here.current = prompts.indexOf(found)
    const element = document.getElementById(idOf(found.ref))
    element?.scrollIntoView({ block: 'start' })
    element?.focus({ preventScroll: true })
  }
  useHotkeys([
    { keys: 'j', does: 'Next prompt', run: () => go(here.current + 1) },
    { keys: 'k', does: 'Previous prompt', run: () => go(here.current - 1) },
  ])
  return (
    <Card title={countOf(prompts.length, 'prompt')} note="j k" className="session-outline">
      <ol className="outline">
        {prompts.map(({ ref, at, text }, index) => (
          <li key={ref}>
            <button type="button" className="outline-row" onClick={() => go(index)}>
              <span className="mono faint">
                <Moment at={at} as="clock" />
              </span>
              <span className="cut">
                <ForeignText text={text} most={90} />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Facts({ facts }: { readonly facts: SessionView }) {
  const {
    students,
    members,
    repo,
    branch,
    first_at,
    active_ms,
    gaps,
    entries,
    calls,
    cost_nano,
    clock_behind_ms,
  } = facts
  const list: readonly (readonly [string, React.ReactNode])[] = [
    [
      'Cost',
      <span key="cost" className="strong">
        {formatMoney(cost_nano)}
      </span>,
    ],
    ['Calls', calls],
    ['Entries', entries],
    ['Began', <Moment key="began" at={first_at} />],
    ['Active', formatDuration(active_ms)],
    [
      'People',
      <ForeignText
        key="people"
        text={members.length > 0 ? members.map(({ name }) => name).join(', ') : students.join(', ')}
      />,
    ],
    ['Repository', <ForeignText key="repo" text={repo ?? '–'} />],
    ['Branch', <ForeignText key="branch" text={branch ?? '–'} />],
  ]
  return (
    <Card title="Facts" className="session-facts">
      <dl className="facts">
        {list.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {gaps.length === 0 ? null : (
        <>
          <h3>Pauses</h3>
          <ul className="small">
            {gaps.slice(0, 8).map(({ from, ms }) => (
              <li key={from}>
                <Moment at={from} as="clock" />, {formatDuration(ms)}
              </li>
            ))}
          </ul>
        </>
      )}
      {Math.abs(clock_behind_ms) > 60_000 ? (
        <p className="small tone-warn">
          The clock of this laptop is off by {formatDuration(Math.abs(clock_behind_ms))}.
        </p>
      ) : null}
    </Card>
  )
}
