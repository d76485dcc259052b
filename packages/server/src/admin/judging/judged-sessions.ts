// Writes sessions for the judges of the panel: with the people and teams as they may know them.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { JudgedSession } from '@fairgate/contracts/judging/reading.ts'
import { type ListedSession, shareOf, writeFirstPrompt } from '../../insight/list-sessions.ts'
import type { PeopleOfTeam } from '../../insight/people-of-team.ts'
import type { Disguise } from '../../judging/disguise.ts'

/** `team`: as the judge knows it. */
export function writeJudgedSession(
  session: ListedSession,
  team: string,
  people: readonly string[],
  disguise: Pick<Disguise, 'nameOf' | 'cover' | 'coverId'>,
): JudgedSession {
  const { teamId, prompts, entries, calls } = session
  const cover = <Text extends string | null>(text: Text) => disguise.cover(teamId, text)
  return {
    team,
    name: disguise.nameOf(teamId),
    session_id: disguise.coverId(teamId, session.id),
    tool: cover(session.tool),
    people: [...people],
    first_at: isoTime(session.firstAt),
    last_at: isoTime(session.lastAt),
    first_prompt: writeFirstPrompt(session.firstPrompt, cover),
    ...{ prompts, entries, calls },
    cost_nano: session.cost,
    coverage: shareOf(session),
    active_ms: session.activeMs,
  }
}

/** Names of the people of a session, the one who wrote first coming first. */
export function namePeople(
  session: ListedSession,
  people: PeopleOfTeam,
  disguise: Pick<Disguise, 'personOf'>,
): string[] {
  return [...new Set(people.ofSession(session).map(person => disguise.personOf(session.teamId, person)))]
}
