// Start page of a judge: what to read next and why, how far it is, and whether the time is enough.
import { Clock, ListOrdered } from 'lucide-react'
import { countOf } from '../../format/number.ts'
import { useServerNow } from '../../live/live-context.tsx'
import { UseBar } from '../../show/bars.tsx'
import { Card } from '../../show/card.tsx'
import { ForeignName, ForeignText } from '../../show/foreign.tsx'
import { LinkButton } from '../../show/link-button.tsx'
import { Moment } from '../../show/moment.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { Empty } from '../../show/states.tsx'
import { describePace } from '../describe-pace.ts'
import { teamHref, viewHref } from '../judge-address.ts'
import { TeamList } from '../parts/team-list.tsx'
import { useQueue } from '../queue-context.tsx'

export function StartScreen() {
  const { items, done, next, order } = useQueue()
  return (
    <>
      <PageHead title="Your teams" />
      <TimeNotice />
      {items.length === 0 ? (
        <Card>
          <Empty>
            You have no teams yet. They appear here by themselves when the organisers have assigned them.
          </Empty>
        </Card>
      ) : (
        <>
          <Progress />
          {next === null ? <AllRead /> : <Next />}
          {order.due && next !== null ? <OrderDue /> : null}
          <section className="card judge-all" aria-label={`${done} of ${countOf(items.length, 'team')} done`}>
            <TeamList current={null} />
          </section>
        </>
      )}
    </>
  )
}

function TimeNotice() {
  const { open, opens_at, closes_at } = useQueue()
  const now = useServerNow(10_000)
  if (open) return null
  const isEarly = opens_at !== null && now < Date.parse(opens_at)
  return (
    <div className="notice" role="status">
      {isEarly ? (
        <span>
          Scoring opens <Moment at={opens_at} />. You can read already.
        </span>
      ) : closes_at === null ? (
        <span>Scoring is not open. You can still read everything.</span>
      ) : (
        <span>
          Scoring closed <Moment at={closes_at} />. You can still read everything.
        </span>
      )}
    </div>
  )
}

function Progress() {
  const { items, done, minutes_per_team, judges_per_team, opens_at, closes_at, open } = useQueue()
  const now = useServerNow(10_000)
  const [opensAt, closesAt] = [opens_at, closes_at].map(at => (at === null ? null : Date.parse(at)))
  const pace = describePace({
    left: items.length - done,
    minutesPerTeam: minutes_per_team,
    now,
    opensAt: opensAt ?? null,
    closesAt: closesAt ?? null,
  })
  const text = `${done} of ${items.length} done`
  return (
    <div className="judge-progress">
      <div className="row-between wrap">
        <span className="figure">{text}</span>
        <span className="muted small">
          {countOf(judges_per_team, 'judge reads', 'judges read')} each team
        </span>
      </div>
      <UseBar used={done} limit={Math.max(1, items.length)} tone="normal" label={text} />
      {pace === null || (!open && opensAt === null) ? null : (
        <p className={pace.isEnough ? 'row muted' : 'row tone-warn strong'}>
          <Clock size={15} aria-hidden />
          <span className="grow">{pace.text}</span>
        </p>
      )}
    </div>
  )
}

function Next() {
  const { next, items } = useQueue()
  const item = items.find(({ team }) => team === next)
  if (item === undefined) return null
  const { team, name, title, why, state } = item
  const verb = state === 'begun' ? 'Continue with' : 'Read'
  return (
    <section className="card card-body judge-next" aria-label="Next team">
      <div className="muted">Read next</div>
      <div className="judge-next-name">
        <ForeignName name={name} />
      </div>
      {title === null ? null : (
        <div>
          <ForeignText text={title} most={120} />
        </div>
      )}
      <p className="muted">{why}</p>
      <LinkButton href={teamHref(team)} variant="filled" size="lg" fullWidth>
        <span className="cut">
          {verb} <ForeignText text={name} most={30} />
        </span>
      </LinkButton>
    </section>
  )
}

function AllRead() {
  const { order } = useQueue()
  return (
    <section className="card card-body judge-next" aria-label="All done">
      <div className="judge-next-name">You have read all your teams. Thank you.</div>
      {order.due ? (
        <>
          <p className="muted">One thing is left: put your teams in order, best first.</p>
          <OrderButton>Put your teams in order</OrderButton>
        </>
      ) : (
        <p className="muted">
          {order.saved ? 'Their order is saved too. ' : ''}You can still open each of them below.
        </p>
      )}
    </section>
  )
}

function OrderDue() {
  return (
    <div className="notice" data-tone="info">
      <span className="grow">Your teams are not in order yet.</span>
      <OrderButton>Put them in order</OrderButton>
    </div>
  )
}

function OrderButton({ children }: { readonly children: string }) {
  return (
    <LinkButton
      href={viewHref('order')}
      variant="filled"
      size="lg"
      leftSection={<ListOrdered size={18} aria-hidden />}
    >
      {children}
    </LinkButton>
  )
}
