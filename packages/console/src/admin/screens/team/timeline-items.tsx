// A team's timeline, newest first: calls, refusals, log entries and actions by organisers.

import type { TimelineItem, TimelineReply } from '@fairgate/contracts/console/timeline.ts'
import { Link } from '@tanstack/react-router'
import { Ban, CalendarDays, DollarSign, Megaphone, ScrollText, Undo2, Zap } from 'lucide-react'
import { Fragment } from 'react'
import { readOf, useReadPages } from '../../../api/use-read.ts'
import { formatMoney } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { shortenSession } from '../../../format/session.ts'
import { formatDuration } from '../../../format/time.ts'
import { useRefresh } from '../../../live/live-context.tsx'
import { Badge, type BadgeTone } from '../../../show/badge.tsx'
import { Claim } from '../../../show/entry-moment.tsx'
import { ForeignId, ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Cost } from '../../../show/money.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { toEntry, toSession } from '../session/session-link.tsx'

/** Silences of at least this length are drawn as a line with their duration. */
const gapMs = 5 * 60_000

export function TimelineItems({
  team,
  kind,
  most,
  isHeld = false,
  onReadBack,
}: {
  readonly team: string
  readonly kind?: string | undefined
  /** Max number of items; page by page if absent. */
  readonly most?: number
  readonly isHeld?: boolean
  /** Called when older pages are shown, because following would move the items being read. */
  readonly onReadBack?: () => void
}) {
  const read = useReadPages(readOf<TimelineReply>('/timeline', { team_id: team, kind, limit: most ?? 50 }))
  const isFollowing = !isHeld && (read.data?.pages.length ?? 0) <= 1
  useRefresh(isFollowing ? `calls:${team}` : null, [['/timeline']], 1000)
  useRefresh(isFollowing ? 'sessions' : null, [['/timeline']], 2000)
  return (
    <Loaded read={read} what="The timeline" height={38} lines={most ?? 10}>
      {() => {
        const shown = most === undefined ? read.rows : read.rows.slice(0, most)
        if (shown.length === 0 && !read.hasNextPage)
          return (
            <Empty>
              {kind === undefined
                ? 'No calls or log entries yet. New ones appear here within a second.'
                : 'No items of this kind'}
            </Empty>
          )
        return (
          <>
            <div className="table-frame">
              <table className="table timeline">
                <caption className="hidden-text">Timeline, newest first</caption>
                <thead>
                  <tr>
                    <th scope="col">Time</th>
                    <th scope="col">Kind</th>
                    <th scope="col">What</th>
                    <th scope="col" className="from-768">
                      Detail
                    </th>
                    <th scope="col" className="end">
                      Cost
                    </th>
                    <th scope="col" className="end from-1024">
                      Duration
                    </th>
                    <th scope="col" className="from-1024">
                      Session
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map((item, index) => (
                    <Fragment key={`${item.kind} ${item.ref}`}>
                      {index === 0 ? null : <Gap later={shown[index - 1]?.at} earlier={item.at} />}
                      <Row item={item} team={team} />
                    </Fragment>
                  ))}
                </tbody>
              </table>
            </div>
            {most === undefined ? (
              <div className="timeline-more">
                <MoreButton more={read.more} {...(onReadBack === undefined ? {} : { onPress: onReadBack })}>
                  Show older items
                </MoreButton>
              </div>
            ) : null}
          </>
        )
      }}
    </Loaded>
  )
}

const kinds: Readonly<
  Record<TimelineItem['kind'], { tone: BadgeTone; word: string; icon: React.ReactNode }>
> = {
  call: { tone: 'info', word: 'Call', icon: <Zap aria-hidden /> },
  refusal: { tone: 'bad', word: 'Refused', icon: <Ban aria-hidden /> },
  entry: { tone: 'plain', word: 'Log', icon: <ScrollText aria-hidden /> },
  grant: { tone: 'ok', word: 'Grant', icon: <DollarSign aria-hidden /> },
  correction: { tone: 'held', word: 'Correction', icon: <Undo2 aria-hidden /> },
  phase: { tone: 'plain', word: 'Phase', icon: <CalendarDays aria-hidden /> },
  announcement: { tone: 'plain', word: 'Announced', icon: <Megaphone aria-hidden /> },
}

function Row({ item, team }: { readonly item: TimelineItem; readonly team: string }) {
  const { kind, at, text, cost_nano, duration_ms, session_id, tool, count } = item
  const { tone, word, icon } = kinds[kind]
  const isUnlogged = kind === 'call' && session_id === null
  // The name of a phase is already in the "What" column.
  const detail = kind === 'phase' ? '' : text
  return (
    <tr data-unlogged={isUnlogged}>
      <td className="nowrap mono">
        <Moment at={at} as="clock" />
      </td>
      <td>
        <Badge tone={tone} icon={icon}>
          {word}
          {count > 1 ? ` × ${formatCount(count)}` : ''}
        </Badge>
      </td>
      <td>
        <What item={item} team={team} />
        <Claim at={item.claimed_at} />
        {detail === '' ? null : (
          <div className="timeline-small small muted">
            <ForeignText text={detail} most={120} />
          </div>
        )}
      </td>
      <td className="from-768 timeline-text">
        <span className="cut">{detail === '' ? '' : <ForeignText text={detail} most={160} />}</span>
      </td>
      <td className="end nowrap">
        {kind === 'refusal' ? (
          <span className="faint">not charged</span>
        ) : cost_nano === null ? (
          ''
        ) : (
          <span className="strong">
            {kind === 'call' ? <Cost nano={cost_nano} /> : writeChange(cost_nano)}
          </span>
        )}
      </td>
      <td className="end nowrap from-1024">{duration_ms === null ? '' : formatDuration(duration_ms)}</td>
      <td className="from-1024 nowrap">
        {session_id === null ? (
          kind === 'call' ? (
            <span className="faint">no session</span>
          ) : (
            ''
          )
        ) : (
          <Link {...toSession({ team_id: team, session_id, tool })}>
            <ForeignText text={tool ?? 'session'} most={20} /> ·{' '}
            <ForeignText text={shortenSession(session_id)} />
          </Link>
        )}
      </td>
    </tr>
  )
}

/** Links to the item if it has its own screen. */
function What({ item: { kind, ref, model, event, tool }, team }: { item: TimelineItem; team: string }) {
  if (kind === 'call' || kind === 'refusal')
    return (
      <Link to="/console/calls" search={{ team, call: ref }} className="mono">
        {model === null ? 'call' : <ForeignText text={model} most={48} />}
      </Link>
    )
  if (kind === 'entry')
    return (
      <Link {...toEntry(team, ref.slice(ref.lastIndexOf('#') + 1))} className="mono">
        <ForeignText text={event ?? tool ?? 'entry'} most={48} />
      </Link>
    )
  if (kind === 'phase') return <ForeignText text={ref} most={48} />
  return model === null ? null : <ForeignId text={model} most={48} />
}

function writeChange(nano: number): string {
  return nano > 0 ? `+${formatMoney(nano, 'nearest')}` : formatMoney(nano, 'nearest')
}

function Gap({ later, earlier }: { readonly later: string | undefined; readonly earlier: string }) {
  const ms = later === undefined ? 0 : Date.parse(later) - Date.parse(earlier)
  if (ms < gapMs) return null
  return (
    <tr className="timeline-gap">
      <td colSpan={7}>
        <span className="faint small">{formatDuration(ms)} without calls or entries</span>
      </td>
    </tr>
  )
}
