// Shows a team's sessions to a judge of the panel: without keys and tokens, and with teams, people and sessions as the judge knows them.
import type { SessionItem } from '@fairgate/contracts/console/session-view.ts'
import type { Disguise } from '../judging/disguise.ts'
import { type CoverageReader, everyCall } from '../record/coverage-reader.ts'
import type { SessionReaderDependencies } from './session-reader.ts'

/** A team that a judge may read. `team`: as the judge knows it. */
export type JudgedTeam = { readonly disguise: Disguise; readonly teamId: string; readonly team: string }

/** `item`: its entry is covered already. `member_id` of an entry becomes the name of the person. */
export function coverItem({ kind, at, ref, entry, call }: SessionItem, judged: JudgedTeam): SessionItem {
  const { disguise, teamId, team } = judged
  const memberId = entry?.member_id ?? null
  const name = memberId === null ? null : disguise.personOf(teamId, { memberId })
  return {
    ...{ kind, at },
    ref: entry === null ? ref : `${team}#${entry.seq}`,
    entry: entry === null ? null : { ...entry, token_id: '', member_id: name },
    // The sentence may name the key.
    call:
      call === null
        ? null
        : { ...call, key: '', key_alias: null, explanation: disguise.cover(teamId, call.explanation) },
  }
}

/** The id that the tool gave to a session; null if there is none that this judge knows by this id. Rejects with StoreUnavailable. */
export async function findSessionId(
  coverage: Pick<CoverageReader, 'readRecent'>,
  { disguise, teamId }: JudgedTeam,
  id: string,
): Promise<string | null> {
  if (!disguise.isBlind) return id
  const { logged, calls } = await coverage.readRecent(teamId, everyCall)
  const ids = new Set([
    ...logged.map(session => session.id),
    ...calls.flatMap(({ call }) => call.sessionId ?? []),
  ])
  return [...ids].find(own => disguise.coverId(teamId, own) === id) ?? null
}

/** What a reader of sessions needs to cover entries before they are cut: half a name is none. */
export function coverEntries({
  isBlind,
  coverEntry,
}: Disguise): Pick<SessionReaderDependencies, 'coverEntry'> {
  return isBlind ? { coverEntry } : {}
}
