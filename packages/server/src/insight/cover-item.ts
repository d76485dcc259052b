// Writes an entry or a call of a session for a judge of the panel: without keys and tokens, and with people as the judge knows them.
import type { SessionItem } from '@fairgate/contracts/console/session-view.ts'
import type { Disguise } from '../judging/disguise.ts'

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
