// Reads the database's windows for display, without locks and without taking anything, and clears those of teams that have been idle for
// long.
import type { Levels, LevelsUse, WindowUse } from '../port.ts'
import type { RunQuery } from './admission-lane.ts'
import { findLevelNames, lockOf } from './level-names.ts'

const windowMs = 60_000

/** Entries of a ring as `admit_2` writes them: amount << 17 | the low 17 bits of the time. The age at `counted_at` gives the other bits. */
const entriesOf = (ring: 'request_ring' | 'token_ring') => `
  (select json_agg(json_build_array(e >> 17, s.counted_at - ((s.counted_at - e) & 131071)) order by n)
    from unnest(s.${ring}) with ordinality as r(e, n))`

const windowsText = `
select a.i, limits_clock_1(), ${entriesOf('request_ring')}, ${entriesOf('token_ring')}
  from json_to_recordset($1::json) as a(i int, team_id text, level text)
  left join limit_states s on s.team_id = a.team_id and s.level = a.level
  order by a.i`

const runningText = `
select a.i, (select count(*) from running_calls c where c.team_id = a.team_id and c.key_hash = a.key_hash)
  from json_to_recordset($1::json) as a(i int, team_id text, key_hash text)
  order by a.i`

export async function readWindows(read: RunQuery, asked: readonly Levels[]): Promise<LevelsUse[]> {
  if (asked.length === 0) return []
  const rates = asked.flatMap(levels => findLevelNames(levels).rates)
  const windows = rates.map(({ teamId, name }, i) => ({ i, team_id: teamId, level: name }))
  const keys = asked.map(({ teamId, keyHash }, i) => ({ i, team_id: teamId, key_hash: keyHash }))
  const [found, running] = await Promise.all([
    windows.length === 0
      ? []
      : read({ name: 'read_windows', text: windowsText, values: [JSON.stringify(windows)] }),
    read({ name: 'read_running', text: runningText, values: [JSON.stringify(keys)] }),
  ])
  let next = 0
  return asked.map((levels, index) => ({
    running: Number(running[index]?.[1] ?? 0),
    rates: findLevelNames(levels).rates.map(({ level, requests, tokens }) => {
      const [, clock, requestRing, tokenRing] = found[next++] ?? []
      const now = Number(clock)
      return {
        level,
        requests: requests === null ? null : describeWindow(readEntries(requestRing), requests, now),
        tokens: tokens === null ? null : describeWindow(readEntries(tokenRing), tokens, now),
      }
    }),
  }))
}

/** Oldest first. */
type Entry = { readonly amount: number; readonly at: number }

/** Some drivers parse JSON, others return its text. */
function readEntries(value: unknown): Entry[] {
  const entries: unknown = typeof value === 'string' ? JSON.parse(value) : value
  if (!Array.isArray(entries)) return []
  return entries.map(([amount, at]) => ({ amount: Number(amount), at: Number(at) }))
}

/** The window is full until enough entries have left, oldest first, that one more is within the limit. */
function describeWindow(entries: readonly Entry[], limit: number, now: number): WindowUse {
  const counted = entries.filter(({ at }) => now - at < windowMs)
  const used = counted.reduce((sum, { amount }) => sum + amount, 0)
  if (used < limit || limit <= 0) return { limit, used, freesAt: null }
  let left = used
  const leaving = counted.find(({ amount }) => {
    left -= amount
    return left < limit
  })
  return { limit, used, freesAt: leaving === undefined ? null : leaving.at + windowMs }
}

const idleMs = 10 * 60_000
/** Max teams per run: their locks are tried, never waited for. */
const maxTeams = 64

/** Returns the number of deleted states. */
export async function tidyStates(run: RunQuery): Promise<number> {
  const rows = await run({
    name: 'idle_teams',
    text: `select distinct team_id from limit_states where team_id <> '' and counted_at < limits_clock_1() - $1 limit $2`,
    values: [idleMs, maxTeams],
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
