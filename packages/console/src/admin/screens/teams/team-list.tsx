// The team list on phones: two lines per team, all of it one link.

import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { Link } from '@tanstack/react-router'
import type { MorePages } from '../../../api/more-pages.ts'
import { formatMoney } from '../../../format/money.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { BudgetBar } from '../../../show/bars.tsx'
import { Card } from '../../../show/card.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { MoreButton } from '../../../show/more-button.tsx'
import { RunsDry } from './runs-dry.tsx'
import { TeamLights, TeamStateBadge } from './team-state.tsx'

export function TeamList({
  rows,
  total = rows.length,
  more,
}: {
  readonly rows: readonly TeamRow[]
  readonly total?: number
  readonly more?: MorePages | undefined
}) {
  return (
    <Card isFlush>
      <ul className="team-list">
        {rows.map(row => (
          <li key={row.team_id}>
            <Link to="/console/teams/$team" params={{ team: row.team_id }} className="team-list-item">
              <span className="row-between">
                <span className="strong cut grow">
                  <ForeignName name={row.team_alias} most={36} />
                </span>
                <TeamLights lights={row.lights} />
                <TeamStateBadge state={row.state} />
              </span>
              <span className="row-between">
                <span className="grow">
                  <BudgetBar
                    spentNano={row.spent_nano}
                    heldNano={row.held_nano}
                    budgetNano={row.budget_nano}
                  />
                </span>
                <span className="strong nowrap">
                  {row.left_nano === null
                    ? `${formatMoney(row.spent_nano)} spent`
                    : `${row.left_nano <= 0 ? '$0.00' : formatMoney(row.left_nano, 'down')} left`}
                </span>
                <span className="small nowrap">
                  <RunsDry row={row} />
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {more === undefined ? null : (
        <div className="team-list-more">
          <span className="muted small">
            {formatCount(rows.length)} of {countOf(total, 'team')}
          </span>
          <MoreButton more={more}>Show more</MoreButton>
        </div>
      )}
    </Card>
  )
}
