// The reminder above every screen while the team has to answer a question of the organisers.
import { Moment } from '../../show/moment.tsx'
import { useSelf } from '../self-context.tsx'
import { TeamLink } from '../team-link.tsx'

export function CaseReminder() {
  const { judging } = useSelf()
  if (judging === null || judging.to_answer === 0) return null
  return (
    <div className="notice" data-tone="warn" data-part="case-reminder" role="status">
      <span className="grow">
        The organisers ask your team about its work. Answer until <Moment at={judging.answer_until} />.
      </span>
      <TeamLink href="/judging">Answer</TeamLink>
    </div>
  )
}
