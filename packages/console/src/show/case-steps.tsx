// Steps of a case, as organisers and the team see them: what the team says, and what is decided.
import { ForeignBlock } from './foreign.tsx'
import { Moment } from './moment.tsx'

export function Said({
  title,
  text,
  at,
}: {
  readonly title: string
  readonly text: string
  readonly at: string
}) {
  return (
    <div className="sunken-box">
      <div className="muted small">
        {title}, <Moment at={at} as="ago" />
      </div>
      <ForeignBlock text={text} />
    </div>
  )
}

/** `by`: who has decided; the team is not shown it. */
export function Decided({
  title,
  decision,
  reason,
  at,
  by,
}: {
  readonly title: string
  readonly decision: string
  readonly reason: string
  readonly at: string
  readonly by?: string
}) {
  return (
    <div className="sunken-box">
      <div className="muted small">
        {title}
        {by === undefined ? null : ` by ${by}`}, <Moment at={at} as="ago" />
      </div>
      <div className="strong">
        <ForeignBlock text={decision} />
      </div>
      <ForeignBlock text={reason} />
    </div>
  )
}
