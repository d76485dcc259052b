// Shows one tool session: its prompts, its conversation with the gateway's calls in their places, and what the page adds at the side.

import type { SessionItem, SessionView } from '@fairgate/contracts/console/session-view.ts'
import { Button, SegmentedControl } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { type MorePages, morePagesOf } from '../api/more-pages.ts'
import { readOf, useRead } from '../api/use-read.ts'
import { countOf, formatShare } from '../format/number.ts'
import { formatClock, formatDay, formatMoment } from '../format/time.ts'
import { useHotkeys } from '../frame/hotkeys.tsx'
import { useAddress } from '../frame/use-address.ts'
import { useRefresh, useServerNow } from '../live/live-context.tsx'
import { Badge } from '../show/badge.tsx'
import { Card } from '../show/card.tsx'
import { CopyButton } from '../show/copy-button.tsx'
import { copyText } from '../show/copy-text.ts'
import { ForeignId, ForeignText } from '../show/foreign.tsx'
import { LinkButton } from '../show/link-button.tsx'
import { MoreButton } from '../show/more-button.tsx'
import { PageHead } from '../show/page-head.tsx'
import { Empty, Loaded, Skeleton } from '../show/states.tsx'
import { useZone } from '../show/zone-context.tsx'
import { arrangeItems } from './arrange-items.ts'
import { ConversationRow } from './conversation.tsx'
import { UnfoldedContext } from './folded.tsx'
import { Outline } from './outline.tsx'
import { RawEntries } from './raw-entries.tsx'
import { useSessionSource } from './session-source.tsx'
import { sessionTopic, useLiveItems, useSessionItems } from './use-session-items.ts'

/** A session with an entry or call newer than this counts as active. */
const activeMs = 180_000
/** Conversations with more rows are laid out only near the viewport. Shorter ones stay complete in print and in screenshots. */
const longRows = 400

export type SessionViewProps = {
  readonly team: string
  readonly session: string
  /** If two tools have a session with this id. */
  readonly tool: string | undefined
  /** Breadcrumbs to the session. */
  readonly crumbs: ReactNode
  /** Buttons of the page in the head. */
  readonly renderActions?: (view: SessionView) => ReactNode
  /** The outline is a menu above the conversation. */
  readonly hasMenu: boolean
  /** At the right. */
  readonly renderSide: (view: SessionView) => ReactNode
}

export function SessionViewer({ crumbs: path, ...props }: SessionViewProps) {
  const { team, session, tool } = props
  const { sessionPath } = useSessionSource()
  const route = sessionPath(team, session)
  const view = useRead(readOf<SessionView>(route, { tool }))
  useRefresh(sessionTopic(team, session, tool), [[route]], 2000)
  const live = useLiveItems(team, session, tool)
  const crumbs = (
    <>
      {path}
      <span aria-hidden>›</span>
      <ForeignId text={session} most={40} />
      <CopyButton text={session} label="Copy session id" isIcon />
    </>
  )
  if (view.data === undefined)
    return (
      <>
        <PageHead title="Session" crumbs={crumbs} />
        <Card>
          <Loaded read={view} what="The session" height={480}>
            {() => null}
          </Loaded>
        </Card>
      </>
    )
  return <OpenSession key={route} {...props} view={view.data} live={live} crumbs={crumbs} />
}

type OpenProps = SessionViewProps & {
  readonly live: readonly SessionItem[]
  readonly view: SessionView
}

function OpenSession({
  view,
  live,
  team,
  session,
  tool,
  crumbs,
  hasMenu,
  renderActions,
  renderSide,
}: OpenProps) {
  const { search, set, change } = useAddress()
  const { hash } = useLocation()
  const asked = readSeq(search.seq) ?? readSeq(/^e(\d+)$/.exec(hash)?.[1])
  // The entry that the reader came in at. Entries opened later do not reload the pages.
  const [around, setAround] = useState(asked)
  const { pages, items, isFirstThere, isLastThere } = useSessionItems({
    team,
    session,
    tool,
    around,
    live,
  })
  const { rows, turns } = useMemo(
    () => arrangeItems(items, { isFirstThere, isLastThere }),
    [items, isFirstThere, isLastThere],
  )
  const names = useMemo(
    () => new Map(view.members.map(({ member_id, name }) => [member_id, name])),
    [view.members],
  )
  const isThere = asked !== null && items.some(({ entry }) => entry?.seq === asked)
  // A requested entry that is not loaded is read with the entries around it.
  useEffect(() => {
    if (asked !== null && !isThere && pages.data !== undefined && !pages.isFetching && asked !== around)
      setAround(asked)
  }, [asked, isThere, pages.data, pages.isFetching, around])
  useEffect(() => {
    if (asked === null || !isThere) return
    const element = document.getElementById(`e${asked}`)
    element?.scrollIntoView({ block: 'start' })
    element?.focus({ preventScroll: true })
  }, [asked, isThere])
  const goTo = (seq: number) => change({ seq: String(seq) })
  const { said, copyLink } = useCopiedLink(asked)
  const isUnfolded = useSessionKeys({ asked, turns, pages, goTo, copyLink })
  return (
    <>
      <SessionHead view={view} crumbs={crumbs}>
        <SegmentedControl
          aria-label="View"
          value={search.view === 'raw' ? 'raw' : 'conversation'}
          data={[
            { value: 'conversation', label: 'Conversation' },
            { value: 'raw', label: 'Raw entries' },
          ]}
          onChange={value => set({ view: value === 'raw' ? 'raw' : undefined })}
        />
        {renderActions?.(view)}
        <Button variant="default" onClick={copyLink}>
          Copy link
        </Button>
      </SessionHead>
      <div role="status" className="hidden-text">
        {said}
      </div>
      <div className="session-columns">
        <Outline turns={turns} total={view.prompts} activeSeq={asked} goTo={goTo} hasMenu={hasMenu} />
        <Card className="session-talk">
          {view.entries === 0 ? <NoEntries view={view} /> : null}
          {pages.hasPreviousPage ? (
            <Button
              variant="default"
              fullWidth
              loading={pages.isFetchingPreviousPage}
              onClick={() => void pages.fetchPreviousPage()}
            >
              Show earlier items
            </Button>
          ) : null}
          <Loaded read={pages} what="The conversation" height={480}>
            {() =>
              search.view === 'raw' ? (
                <RawEntries items={items} team={team} />
              ) : (
                <UnfoldedContext value={isUnfolded}>
                  <ol className="talk" data-long={rows.length > longRows} aria-label="Conversation">
                    {rows.map(row => (
                      <ConversationRow key={row.key} row={row} team={team} names={names} activeSeq={asked} />
                    ))}
                  </ol>
                </UnfoldedContext>
              )
            }
          </Loaded>
          <MoreBelow more={morePagesOf(pages)} />
        </Card>
        {renderSide(view)}
      </div>
    </>
  )
}

/** Copies a link to the focused entry, or else to the requested one. */
function useCopiedLink(asked: number | null) {
  const [said, setSaid] = useState('')
  const copyLink = () => {
    const id = document.activeElement?.closest('.talk-entry')?.id ?? ''
    const seq = readSeq(id.slice(1)) ?? asked
    const address = new URL(location.href)
    address.hash = ''
    if (seq === null) address.searchParams.delete('seq')
    else address.searchParams.set('seq', String(seq))
    copyText(address.href).then(
      () => setSaid(seq === null ? 'Link copied' : `Link to entry ${seq} copied`),
      () => setSaid('The browser could not copy the link'),
    )
  }
  return { said, copyLink }
}

/** Keyboard shortcuts of the screen. Returns true if all entries are unfolded. */
function useSessionKeys({
  asked,
  turns,
  pages,
  goTo,
  copyLink,
}: {
  readonly asked: number | null
  readonly turns: ReturnType<typeof arrangeItems>['turns']
  readonly pages: ReturnType<typeof useSessionItems>['pages']
  readonly goTo: (seq: number) => void
  readonly copyLink: () => void
}): boolean {
  const [isUnfolded, setUnfolded] = useState(false)
  const step = (by: 1 | -1) => {
    const place = turns.findIndex(({ seq }) => seq === asked)
    const next =
      place >= 0
        ? turns[place + by]
        : by === 1
          ? (turns.find(({ seq }) => asked === null || seq > asked) ?? turns[0])
          : turns.findLast(({ seq }) => asked !== null && seq < asked)
    if (next !== undefined) goTo(next.seq)
    else if (by === 1 && pages.hasNextPage) void pages.fetchNextPage()
    else if (by === -1 && pages.hasPreviousPage) void pages.fetchPreviousPage()
  }
  const fold = () => {
    const item = document.activeElement?.closest('.talk-entry') ?? document.getElementById(`e${asked}`)
    const button = item?.querySelector('[data-fold]')
    if (button instanceof HTMLElement) button.click()
  }
  useHotkeys([
    { keys: 'j', does: 'Next prompt', run: () => step(1) },
    { keys: 'k', does: 'Previous prompt', run: () => step(-1) },
    { keys: 'o', does: 'Fold or unfold the entry', run: fold },
    {
      keys: 'e',
      does: isUnfolded ? 'Fold everything' : 'Unfold everything',
      run: () => setUnfolded(!isUnfolded),
    },
    { keys: 'c', does: 'Copy a link to the entry', run: copyLink },
  ])
  return isUnfolded
}

function SessionHead({
  view,
  crumbs,
  children,
}: Pick<OpenProps, 'view' | 'crumbs'> & { readonly children: ReactNode }) {
  const zone = useZone()
  const now = useServerNow(10_000)
  const isActive = now - Date.parse(view.last_at) < activeMs
  const [first, last] = [Date.parse(view.first_at), Date.parse(view.last_at)]
  const isOneDay = formatDay(first, zone) === formatDay(last, zone)
  const end = isOneDay ? formatClock(last, zone, false) : formatMoment(last, now, zone)
  const title = `${view.tool ?? 'Session'}, ${formatMoment(first, now, zone)} to ${end}`
  const where = [view.repo, view.branch, ...view.members.map(({ name }) => name)].filter(
    text => text !== null && text !== '',
  )
  return (
    <PageHead
      title={view.tool === null ? 'Session' : 'Tool session'}
      name={<ForeignText text={title} most={60} />}
      crumbs={crumbs}
      beside={
        <>
          {view.coverage === null ? null : (
            <Badge tone={view.coverage >= 0.6 ? 'ok' : 'warn'}>{formatShare(view.coverage)} covered</Badge>
          )}
          {view.late > 0 ? (
            <Badge tone="warn">{countOf(view.late, 'late entry', 'late entries')}</Badge>
          ) : null}
          {isActive ? <Badge tone="info">active</Badge> : null}
          <span className="muted small cut">
            <ForeignText text={where.join(' · ')} most={100} />
          </span>
        </>
      }
    >
      {children}
    </PageHead>
  )
}

function NoEntries({ view: { team_id: team, session_id: session, calls } }: { readonly view: SessionView }) {
  const { callsHref } = useSessionSource()
  return (
    <Empty
      action={
        callsHref === null ? null : <LinkButton href={callsHref({ team, session })}>View calls</LinkButton>
      }
    >
      This session has {countOf(calls, 'call')} and no log entries.
    </Empty>
  )
}

/** Loads more before the reader reaches the end. */
function MoreBelow({ more }: { readonly more: MorePages | undefined }) {
  const mark = useRef<HTMLDivElement>(null)
  const latest = useRef(more)
  latest.current = more
  const isReady = more !== undefined && !more.isBusy && more.failure === null
  useEffect(() => {
    if (!isReady || mark.current === null) return
    const watcher = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting === true) latest.current?.load()
      },
      { rootMargin: '0px 0px 1200px 0px' },
    )
    watcher.observe(mark.current)
    return () => watcher.disconnect()
  }, [isReady])
  if (more === undefined) return null
  return (
    <div ref={mark}>
      {more.isLoading ? (
        <Skeleton lines={3} />
      ) : (
        <MoreButton more={more} fullWidth>
          Show more
        </MoreButton>
      )}
    </div>
  )
}

function readSeq(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}
