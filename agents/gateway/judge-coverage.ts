// What Fairgate says of the coverage of a team, against what its agent did: with the recorder, and with another key without it.
import type { CoverageList, TeamCoverageRecord } from '@fairgate/contracts/calls/coverage.ts'
import type { Fairgate } from '../../packages/server/journeys/testing/start-fairgate.ts'
import { type Check, compare } from '../report.ts'
import type { Client } from './clients.ts'

/** Calls that were answered, and the nano-dollars that they cost. */
export type Spent = { readonly calls: number; readonly cost: number }

export async function readCoverage({ manage }: Fairgate, team: string): Promise<TeamCoverageRecord> {
  const reply = await manage.call('GET', `/coverage?team_id=${team}`)
  if (!reply.ok) throw new Error(`Reading the coverage answered ${reply.status}: ${await reply.text()}`)
  const { teams } = (await reply.json()) as CoverageList
  const [seen] = teams
  if (seen === undefined) throw new Error('The coverage of the team is missing.')
  return seen
}

/** Sessions that calls name are found by their id, the others by their texts. The share itself needs more calls than two. */
export function judgeCovered({ session }: Client, seen: TeamCoverageRecord, spent: Spent): Check {
  const name = session === null ? 'text' : 'session'
  return {
    name: `GET /coverage: all of it is covered, by ${name}`,
    fault: compare(summarise(seen), {
      classes: { [name]: [spent.calls, spent.cost] },
      judged: [spent.calls, spent.cost],
      reasons: {},
      sessions: [1, 0],
      missing: [],
    }),
  }
}

/** `ids`: of the sessions that the calls of the other key name. */
export function judgeUncovered(
  { session }: Client,
  seen: TeamCoverageRecord,
  { covered, uncovered, ids }: { covered: Spent; uncovered: Spent; ids: readonly string[] },
): Check {
  const name = session === null ? 'text' : 'session'
  const reason = session === null ? 'no_entry_fits' : 'session_without_entries'
  return {
    name: `GET /coverage: what another key does without the recorder is unexplained (${reason})`,
    fault: compare(summarise(seen), {
      classes: { [name]: [covered.calls, covered.cost], unexplained: [uncovered.calls, uncovered.cost] },
      judged: [covered.calls + uncovered.calls, covered.cost + uncovered.cost],
      reasons: { [reason]: [uncovered.calls, uncovered.cost] },
      sessions: [1, 0],
      missing: ids.map(id => [id, 'unexplained', uncovered.calls]),
    }),
  }
}

/** Classes and reasons without calls are left out. */
function summarise(seen: TeamCoverageRecord) {
  const share = ({ calls, cost_nano }: { calls: number; cost_nano: number }) => [calls, cost_nano]
  const list = (shares: object) =>
    Object.fromEntries(
      Object.entries(shares).flatMap(([name, value]) => (value.calls === 0 ? [] : [[name, share(value)]])),
    )
  return {
    classes: list(seen.classes),
    judged: share(seen.judged),
    reasons: list(seen.unexplained_by),
    sessions: [seen.logged_sessions, seen.logged_only.sessions],
    missing: seen.sessions_without_entries.map(({ session_id, class: found, calls }) => [
      session_id,
      found,
      calls,
    ]),
  }
}
