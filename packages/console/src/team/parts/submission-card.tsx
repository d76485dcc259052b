// What the team has handed in at a glance, and the reminder above every screen while it has not.
import { Send } from 'lucide-react'
import { formatLeft } from '../../format/time.ts'
import { useServerNow } from '../../live/live-context.tsx'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { Moment } from '../../show/moment.tsx'
import { remindOfSubmission } from '../remind-submission.ts'
import { useSelf } from '../self-context.tsx'
import { TeamLink } from '../team-link.tsx'

export function SubmissionCard() {
  const { submission } = useSelf()
  if (submission === null) return null
  const { current, open } = submission
  return (
    <Card
      title="Submission"
      note={<TimeLeft />}
      action={
        <TeamLink href="/submission">
          {current === null && open ? 'Hand in' : open ? 'View or change' : 'View'}
        </TeamLink>
      }
    >
      {current === null ? (
        <span className="row">
          <Badge tone="warn">not handed in</Badge>
        </span>
      ) : (
        <span className="row wrap">
          <Badge tone={current.late ? 'warn' : 'ok'}>{current.late ? 'handed in late' : 'handed in'}</Badge>
          <span className="muted">
            version {current.version}, <Moment at={current.handed_in_at} as="ago" />
          </span>
        </span>
      )}
    </Card>
  )
}

/** Until the deadline, or since when it is over. */
export function TimeLeft() {
  const { submission } = useSelf()
  const now = useServerNow()
  const due = submission?.due_at ?? null
  if (submission === null || due === null) return null
  const left = Date.parse(due) - now
  if (left > 0)
    return (
      <>
        {formatLeft(left)} left, until <Moment at={due} />
      </>
    )
  return (
    <>
      deadline was <Moment at={due} />
      {submission.open ? '; late ones are accepted and marked' : '; closed'}
    </>
  )
}

export function SubmissionReminder() {
  const { submission } = useSelf()
  const now = useServerNow()
  const reminder = submission === null ? null : remindOfSubmission(submission, now)
  if (reminder === null) return null
  return (
    <div className="notice" data-tone={reminder.tone} data-part="submission-reminder">
      <Send size={18} aria-hidden />
      <span className="grow">{reminder.text}</span>
      <TeamLink href="/submission">{submission?.open === true ? 'Hand in' : 'View'}</TeamLink>
    </div>
  )
}
