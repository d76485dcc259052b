// Clears what the limits keep of teams that have been idle for long: every process may, at any time.
import type { RunQuery } from './admission-lane.ts'
import { lockOf } from './level-names.ts'

const idleMs = 10 * 60_000
/** In one go: their locks are tried, never waited for. */
const mostTeams = 64

/** How many states were deleted. */
export async function tidyStates(run: RunQuery): Promise<number> {
  const rows = await run({
    name: 'idle_teams',
    text: `select distinct team_id from limit_states where team_id <> '' and counted_at < limits_clock_1() - $1 limit $2`,
    values: [idleMs, mostTeams],
  })
  const teams = rows.map(([teamId]) => String(teamId))
  const locks = teams.map(teamId => lockOf({ teamId, name: '' }))
  const deleted = await run({
    name: 'tidy_limits_1',
    text: 'select tidy_limits_1($1, $2)',
    values: [locks, teams],
  })
  return Number(deleted[0]?.[0])
}
