// The judge's teams in the order of reading: those to read, then those that are done.
import type { QueueItem } from '@fairgate/contracts/judging/reading.ts'
import { countOf } from '../../format/number.ts'
import { Badge } from '../../show/badge.tsx'
import { ForeignName, ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { Money } from '../../show/money.tsx'
import { PageLink } from '../../show/page-link.tsx'
import { teamHref } from '../judge-address.ts'
import { isRead, useQueue } from '../queue-context.tsx'
import { JudgementSign } from './judgement-sign.tsx'

/** `current`: the team that is open. */
export function TeamList({ current }: { readonly current: string | null }) {
  const { items } = useQueue()
  const groups = [
    ['To read', items.filter(item => !isRead(item))],
    ['Done', items.filter(isRead)],
  ] as const
  return groups.map(([title, teams]) =>
    teams.length === 0 ? null : (
      <section key={title}>
        <h2 className="judge-group">
          {title} <span className="faint">{teams.length}</span>
        </h2>
        <ul>
          {teams.map(item => (
            <li key={item.team}>
              <TeamRow item={item} isCurrent={item.team === current} />
            </li>
          ))}
        </ul>
      </section>
    ),
  )
}

function TeamRow({ item, isCurrent }: { readonly item: QueueItem; readonly isCurrent: boolean }) {
  const { team, name, state, title, calibration, sessions, cost_nano, at } = item
  return (
    <PageLink
      href={teamHref(team)}
      className="judge-team"
      data-step
      {...(isCurrent ? { 'aria-current': 'page' as const } : {})}
    >
      <JudgementSign state={state} />
      <span className="grow">
        <span className="row wrap">
          <span className="strong cut">
            <ForeignName name={name} />
          </span>
          {calibration ? <Badge tone="info">first for all</Badge> : null}
        </span>
        {title === null ? null : (
          <span className="judge-team-title cut">
            <ForeignText text={title} most={80} />
          </span>
        )}
        <span className="muted small">
          {isRead(item) && at !== null ? (
            <>
              {state === 'unable' ? 'not judged, ' : ''}
              <Moment at={at} />
            </>
          ) : sessions === null || cost_nano === null ? null : (
            <>
              {countOf(sessions, 'session')} · <Money nano={cost_nano} />
            </>
          )}
        </span>
      </span>
    </PageLink>
  )
}
