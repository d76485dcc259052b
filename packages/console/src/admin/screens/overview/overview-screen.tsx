// Overview screen: attention list, readiness, event summary, spend and refusal charts, and the teams that need attention.

import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { AlarmClock, Lock, Megaphone, Pause, Square } from 'lucide-react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { useHotkeys } from '../../../frame/hotkeys.tsx'
import { useRefresh } from '../../../live/live-context.tsx'
import { Card } from '../../../show/card.tsx'
import { DataTable } from '../../../show/data-table.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Loaded } from '../../../show/states.tsx'
import { useNarrow } from '../../../show/use-narrow.ts'
import { startFor } from '../../frame/navigation.ts'
import { useMayOrganise, useSession } from '../../session-context.tsx'
import { TeamList } from '../teams/team-list.tsx'
import { teamColumns } from '../teams/teams-columns.tsx'
import { Attention } from './attention.tsx'
import { Figures } from './figures.tsx'
import { FirstStepsCard } from './first-steps.tsx'
import { ReadinessCard } from './readiness-card.tsx'
import { RefusalChart } from './refusal-chart.tsx'
import { SpendForecastChart } from './spend-forecast-chart.tsx'

const actions = [
  { key: 'p', does: 'pause', label: 'Pause all', icon: Pause },
  { key: 'e', does: 'extend', label: 'Extend', icon: AlarmClock },
  { key: 'k', does: 'lock', label: 'Lock all boards', icon: Lock },
  { key: 'x', does: 'end', label: 'End', icon: Square },
  { key: 'a', does: 'announce', label: 'Announce', icon: Megaphone },
] as const

/** This short list cannot be re-sorted. */
const plainColumns = teamColumns.map(({ sort: _sort, ...column }) => column)

export function OverviewScreen() {
  const start = startFor(useSession().role)
  return start === '/console' ? <Overview /> : <Navigate to={start} replace />
}

function Overview() {
  const mayOrganise = useMayOrganise()
  const { role } = useSession()
  const navigate = useNavigate()
  const open = (does: string) => void navigate({ to: '/console/event', search: { do: does } })
  useHotkeys(
    mayOrganise
      ? actions.map(({ key, does, label }) => ({
          keys: `g ${key}`,
          does: `Open the ${label} dialog`,
          run: () => open(does),
        }))
      : [],
  )
  return (
    <>
      <PageHead title="Overview">
        {mayOrganise
          ? actions.map(({ does, label, icon: Icon }) => (
              <IconButton
                icon={Icon}
                key={does}
                variant={does === 'announce' ? 'filled' : 'default'}
                onClick={() => open(does)}
              >
                {label}
              </IconButton>
            ))
          : null}
      </PageHead>
      {mayOrganise ? <FirstStepsCard /> : null}
      <div className="grid overview-top">
        <Attention />
        <ReadinessCard />
      </div>
      <Figures />
      <div className="grid overview-charts">
        {mayOrganise ? <SpendForecastChart /> : null}
        <RefusalChart />
      </div>
      {role === 'operator' ? null : <TeamsToLookAt />}
    </>
  )
}

function TeamsToLookAt() {
  const isNarrow = useNarrow()
  const navigate = useNavigate()
  const teams = useRead(readOf<TeamsReply>('/teams', { limit: 8 }))
  useRefresh('teams', [['/teams']], 2000)
  return (
    <Card
      title="Teams that need attention"
      isFlush
      action={<Link to="/console/teams">All {teams.data?.total.count ?? ''} teams</Link>}
    >
      <Loaded read={teams} what="The list of teams" height={300}>
        {({ items }) =>
          isNarrow ? (
            <TeamList rows={items} />
          ) : (
            <DataTable
              caption="Teams that need attention"
              columns={plainColumns}
              rows={items}
              idOf={({ team_id }) => team_id}
              open={({ team_id: team }) => void navigate({ to: '/console/teams/$team', params: { team } })}
            />
          )
        }
      </Loaded>
    </Card>
  )
}
