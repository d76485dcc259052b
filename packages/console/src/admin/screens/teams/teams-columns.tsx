// Columns of the team list. The server sorts; narrow screens drop the least important columns.

import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { Link } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { formatMoney } from '../../../format/money.ts'
import { formatCount, formatShare } from '../../../format/number.ts'
import { BudgetBar } from '../../../show/bars.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Money } from '../../../show/money.tsx'
import { Sparkline } from '../../../show/spark.tsx'
import { RunsDry } from './runs-dry.tsx'
import { TeamLights, TeamStateBadge } from './team-state.tsx'

export const teamColumns: readonly Column<TeamRow>[] = [
  {
    id: 'team',
    head: 'Team',
    sort: 'team_alias',
    cell: ({ team_id, team_alias, board_locked }) => (
      <span className="row nowrap team-name">
        <Link to="/console/teams/$team" params={{ team: team_id }} className="strong cut" tabIndex={-1}>
          <ForeignName name={team_alias} most={32} />
        </Link>
        {board_locked ? <Lock size={12} role="img" aria-label="Board locked" /> : null}
      </span>
    ),
  },
  { id: 'state', head: 'State', sort: 'attention', cell: ({ state }) => <TeamStateBadge state={state} /> },
  {
    id: 'lights',
    head: 'Key · Call · Rec · Log',
    cell: ({ lights }) => <TeamLights lights={lights} />,
    from: 768,
  },
  {
    id: 'budget',
    head: 'Spent',
    sort: 'spent_nano',
    firstOrder: 'desc',
    cell: ({ spent_nano, held_nano, budget_nano }) => (
      <span className="team-bar">
        <BudgetBar spentNano={spent_nano} heldNano={held_nano} budgetNano={budget_nano} />
        <span className="small muted">
          <Money nano={spent_nano} />
          {budget_nano === null ? '' : ` of ${formatMoney(budget_nano, 'nearest')}`}
        </span>
      </span>
    ),
  },
  {
    id: 'left',
    head: 'Left',
    sort: 'left_nano',
    isEnd: true,
    cell: ({ left_nano }) =>
      left_nano === null ? (
        <span className="faint">–</span>
      ) : (
        <Money nano={Math.max(0, left_nano)} rounding="down" isStrong />
      ),
  },
  {
    id: 'pace',
    head: 'Pace/h',
    sort: 'pace_nano_h',
    firstOrder: 'desc',
    isEnd: true,
    from: 1024,
    cell: ({ pace_nano_h }) =>
      pace_nano_h === null || pace_nano_h === 0 ? (
        <span className="faint">–</span>
      ) : (
        <Money nano={pace_nano_h} />
      ),
  },
  {
    id: 'spark',
    head: 'Last 4 h',
    from: 1440,
    cell: ({ spark }) => (
      <Sparkline
        values={spark}
        width={72}
        label={`Spent in the last four hours: ${formatMoney(spark.reduce((sum, each) => sum + each, 0))}`}
      />
    ),
  },
  { id: 'dry', head: 'Runs out', sort: 'dry_at', isEnd: true, cell: row => <RunsDry row={row} /> },
  {
    id: 'calls',
    head: 'Calls',
    sort: 'calls',
    firstOrder: 'desc',
    isEnd: true,
    from: 1280,
    cell: ({ calls }) => formatCount(calls),
  },
  {
    id: 'refused',
    head: 'Refused (1 h)',
    sort: 'refused_1h',
    firstOrder: 'desc',
    isEnd: true,
    cell: ({ refused_1h }) => (
      <span className={refused_1h >= 20 ? 'strong' : refused_1h === 0 ? 'faint' : ''}>
        {formatCount(refused_1h)}
      </span>
    ),
  },
  {
    id: 'coverage',
    head: 'Coverage',
    sort: 'coverage',
    isEnd: true,
    from: 1280,
    cell: ({ coverage }) =>
      coverage === null ? (
        <span className="faint">–</span>
      ) : (
        <span className="nowrap">{formatShare(coverage)}</span>
      ),
  },
  {
    id: 'last',
    head: 'Last call',
    sort: 'last_call',
    firstOrder: 'desc',
    isEnd: true,
    from: 1024,
    cell: ({ last_call }) => <Moment at={last_call} as="ago" />,
  },
]
