// Teams as rows: state, lights, money and pace, as an organiser watches them.
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { formatBudget, formatMoney } from '../../../format/money.ts'
import { formatCount } from '../../../format/number.ts'
import { Badge } from '../../../show/badge.tsx'
import { BudgetBar } from '../../../show/bars.tsx'
import { type Column, DataTable, type DataTableProps } from '../../../show/data-table.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { Light } from '../../../show/light.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Sparkline } from '../../../show/spark.tsx'
import { lightNames, lightTones, teamStateWords } from './team-states.ts'

type Props = { readonly rows: readonly TeamRow[] } & Partial<
  Pick<DataTableProps<TeamRow>, 'sorting' | 'onSort' | 'selection' | 'total' | 'loadMore'>
>

export function TeamTable({ rows, ...others }: Props) {
  const navigate = useNavigate()
  return (
    <DataTable
      caption="Teams"
      columns={columns}
      rows={rows}
      idOf={({ team_id }) => team_id}
      open={({ team_id: team }) => void navigate({ to: '/console/teams/$team', params: { team } })}
      {...others}
    />
  )
}

export function TeamStateBadge({ state }: Pick<TeamRow, 'state'>) {
  const [tone, words] = teamStateWords[state]
  return <Badge tone={tone}>{words}</Badge>
}

export function TeamLights({ lights }: Pick<TeamRow, 'lights'>) {
  return (
    <span className="lights">
      {(['key', 'call', 'rec'] as const).map(name => (
        <Light
          key={name}
          tone={lightTones[lights[name].s]}
          label={lightNames[name]}
          text={lights[name].text}
          size={16}
        />
      ))}
    </span>
  )
}

const columns: readonly Column<TeamRow>[] = [
  {
    id: 'team',
    head: 'Team',
    sort: 'team_alias',
    cell: ({ team_id: team, team_alias }) => (
      <Link to="/console/teams/$team" params={{ team }} className="strong">
        <ForeignName name={team_alias === '' ? team : team_alias} most={32} />
      </Link>
    ),
  },
  { id: 'state', head: 'State', cell: ({ state }) => <TeamStateBadge state={state} /> },
  { id: 'lights', head: 'Lights', from: 768, cell: ({ lights }) => <TeamLights lights={lights} /> },
  {
    id: 'budget',
    head: 'Budget',
    from: 1024,
    width: '14%',
    sort: 'spent_nano',
    cell: ({ spent_nano, held_nano, budget_nano }) => (
      <BudgetBar spentNano={spent_nano} heldNano={held_nano} budgetNano={budget_nano} />
    ),
  },
  {
    id: 'left',
    head: 'Left',
    isEnd: true,
    sort: 'left_nano',
    cell: ({ budget_nano, spent_nano }) => (
      <span className="strong">
        {budget_nano === null ? (
          <span className="faint" title="No budget">
            {formatMoney(spent_nano)} spent
          </span>
        ) : (
          formatBudget(spent_nano, budget_nano).left
        )}
      </span>
    ),
  },
  {
    id: 'pace',
    head: 'Pace /h',
    isEnd: true,
    from: 1280,
    sort: 'pace_nano_h',
    cell: ({ pace_nano_h }) => (pace_nano_h === null ? '–' : formatMoney(pace_nano_h)),
  },
  {
    id: 'spark',
    head: 'Last 4 h',
    from: 1440,
    cell: ({ spark, team_alias }) => (
      <Sparkline values={spark} label={`What ${team_alias} spent in the last four hours`} />
    ),
  },
  {
    id: 'dry',
    head: 'Runs dry',
    isEnd: true,
    from: 768,
    sort: 'dry_at',
    cell: ({ dry_at, state }) =>
      state === 'budget_spent' ? (
        <span className="strong tone-bad">spent</span>
      ) : (
        <Moment at={dry_at} none="after the end" />
      ),
  },
  {
    id: 'calls',
    head: 'Calls',
    isEnd: true,
    from: 1280,
    sort: 'calls',
    cell: ({ calls }) => formatCount(calls),
  },
  {
    id: 'refused',
    head: 'Refused 1 h',
    isEnd: true,
    from: 1024,
    sort: 'refused_1h',
    cell: ({ refused_1h }) => formatCount(refused_1h),
  },
  {
    id: 'last',
    head: 'Last call',
    isEnd: true,
    from: 1280,
    sort: 'last_call',
    cell: ({ last_call }) => <Moment at={last_call} as="ago" none="none yet" />,
  },
]
