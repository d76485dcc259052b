// What Fairgate says of the coverage of a team, against what its agent did: with the recorder, and with another key without it.
import type { CoverageList, TeamCoverageRecord } from '@fairgate/contracts/calls/coverage.ts'
import type { Fairgate } from '../../packages/server/journeys/testing/start-fairgate.ts'
import { type Check, compare } from '../report.ts'

/** Calls that were answered, and the nano-dollars that they cost. */
export type Spent = { readonly calls: number; readonly cost: number }

export async function readCoverage({ manage }: Fairgate, team: string): Promise<TeamCoverageRecord> {
  const reply = await manage.call('GET', `/coverage?team_id=${team}&calls=true`)
  if (!reply.ok) throw new Error(`Reading the coverage answered ${reply.status}: ${await reply.text()}`)
  const { teams } = (await reply.json()) as CoverageList
  const [seen] = teams
  if (seen === undefined) throw new Error('The coverage of the team is missing.')
  return seen
}

/** What the calls of the recorder's sessions are found by. */
export type FoundBy = 'session' | 'text'

/** Of each call: that others of its conversation are found by their texts is not enough. */
const joinedBy = { session: 'id', text: 'texts' } as const

/** The share itself needs more calls than two. */
export function judgeCovered(by: FoundBy, seen: TeamCoverageRecord, spent: Spent): Check {
  return {
    name: `GET /coverage: all of it is covered, by ${by}`,
    fault: compare(summarise(seen), {
      classes: { [by]: [spent.calls, spent.cost] },
      judged: [spent.calls, spent.cost],
      reasons: {},
      joinedBy: [joinedBy[by]],
      sessions: [1, 0],
      missing: [],
    }),
  }
}

/** `ids`: of the sessions that the calls of the other key name. */
export function judgeUncovered(
  by: FoundBy,
  seen: TeamCoverageRecord,
  { covered, uncovered, ids }: { covered: Spent; uncovered: Spent; ids: readonly string[] },
): Check {
  const reason = ids.length === 0 ? 'no_entry_fits' : 'session_without_entries'
  return {
    name: `GET /coverage: covered by ${by}, and what another key does without the recorder is unexplained (${reason})`,
    fault: compare(summarise(seen), {
      classes: { [by]: [covered.calls, covered.cost], unexplained: [uncovered.calls, uncovered.cost] },
      judged: [covered.calls + uncovered.calls, covered.cost + uncovered.cost],
      reasons: { [reason]: [uncovered.calls, uncovered.cost] },
      joinedBy: [joinedBy[by]],
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
    joinedBy: [
      ...new Set((seen.calls?.items ?? []).flatMap(call => (call.class === 'unexplained' ? [] : [call.by]))),
    ],
    sessions: [seen.logged_sessions, seen.logged_only.sessions],
    missing: seen.sessions_without_entries.map(({ session_id, class: found, calls }) => [
      session_id,
      found,
      calls,
    ]),
  }
}
