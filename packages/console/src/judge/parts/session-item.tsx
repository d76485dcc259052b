// One session of a team as a link: its beginning, its people and tool, its cost, and how much of that the log covers.
import type { JudgedSession } from '@fairgate/contracts/judging/reading.ts'
import { countOf, formatShare } from '../../format/number.ts'
import { formatDuration } from '../../format/time.ts'
import { Badge } from '../../show/badge.tsx'
import { ForeignName, ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { Cost } from '../../show/money.tsx'
import { PageLink } from '../../show/page-link.tsx'
import { sessionHref } from '../judge-address.ts'

export function SessionItem({
  session,
  hasTeam = false,
  reason,
}: {
  readonly session: JudgedSession
  /** Names the team, for lists of several. */
  readonly hasTeam?: boolean
  /** Why it is worth reading. */
  readonly reason?: { readonly label: string; readonly sentence: string }
}) {
  const {
    team,
    name,
    session_id,
    tool,
    people,
    first_at,
    first_prompt,
    prompts,
    cost_nano,
    coverage,
    active_ms,
  } = session
  return (
    <PageLink href={sessionHref({ team, session: session_id, tool })} className="judged-session" data-step>
      <span className="row-between">
        <span className="row small muted wrap">
          {hasTeam ? (
            <span className="strong judged-team">
              <ForeignName name={name} />
            </span>
          ) : null}
          <span>
            <Moment at={first_at} className="mono" />
            {active_ms < 1000 ? '' : `, ${formatDuration(active_ms)}`}
          </span>
          <ForeignText text={tool ?? 'other tool'} most={24} />
          {people.length === 0 ? null : <ForeignText text={people.join(', ')} most={40} />}
        </span>
        <Cost nano={cost_nano} isStrong />
      </span>
      <span className="judged-prompt">
        {first_prompt === null ? (
          <span className="faint">No prompt in the log</span>
        ) : (
          <ForeignText text={first_prompt} most={200} />
        )}
      </span>
      {reason === undefined ? null : (
        <span className="row small judged-reason">
          <Badge tone="info" icon={null}>
            {reason.label}
          </Badge>
          <span className="muted">
            <ForeignText text={reason.sentence} most={300} />
          </span>
        </span>
      )}
      <span className="row wrap small">
        <span className="muted">{countOf(prompts, 'prompt')}</span>
        <CoverageMark share={coverage} />
      </span>
    </PageLink>
  )
}

/** Only what is missing is worth a colour. */
function CoverageMark({ share }: { readonly share: number | null }) {
  if (share === null) return <span className="muted">nothing spent</span>
  if (share >= 0.9) return <span className="muted">{formatShare(share)} in the log</span>
  return (
    <Badge tone={share < 0.6 ? 'warn' : 'plain'}>
      {share === 0 ? 'not in the log' : `${formatShare(share)} in the log`}
    </Badge>
  )
}
