// Shows when a team's budget runs out at its current pace.

import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { Moment } from '../../../show/moment.tsx'

export function RunsDry({
  row: { budget_nano, left_nano, dry_at, pace_nano_h },
}: {
  readonly row: Pick<TeamRow, 'budget_nano' | 'left_nano' | 'dry_at' | 'pace_nano_h'>
}) {
  if (budget_nano === null) return <span className="faint">–</span>
  if (left_nano !== null && left_nano <= 0) return <span className="team-spent">spent</span>
  if (dry_at !== null)
    return (
      <span className="team-dry">
        <Moment at={dry_at} />
      </span>
    )
  return <span className="faint">{pace_nano_h === null || pace_nano_h === 0 ? '–' : 'after the end'}</span>
}
