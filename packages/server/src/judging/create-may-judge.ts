// Decides which judge may judge which team: conflicts, tags that both have, and tracks.
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { Pair } from './deal-teams.ts'
import type { Conflict, Judge } from './judging-records.ts'

type Given = {
  readonly setup: Pick<JudgingSetup, 'tracks' | 'team_tags'>
  readonly judges: readonly Judge[]
  readonly conflicts: readonly Conflict[]
}

/** The first use takes time by the size of the set-up, each call by the tags and tracks of one judge. */
export function createMayJudge({ setup, judges, conflicts }: Given): (pair: Pair) => boolean {
  const byId = new Map(judges.map(judge => [judge.judgeId, judge]))
  const declared = new Set(conflicts.map(writeKey))
  const tagsOf = new Map(
    Object.entries(setup.team_tags ?? {}).map(([teamId, tags]) => [teamId, new Set(tags.map(foldTag))]),
  )
  const tracksOf = new Map<string, Set<string>>()
  for (const { id, teams } of setup.tracks ?? []) {
    for (const teamId of teams) tracksOf.set(teamId, (tracksOf.get(teamId) ?? new Set()).add(id))
  }
  return pair => {
    const judge = byId.get(pair.judgeId)
    if (judge === undefined || judge.isAbsent || declared.has(writeKey(pair))) return false
    const teamTags = tagsOf.get(pair.teamId)
    if (teamTags !== undefined && judge.tags.some(tag => teamTags.has(foldTag(tag)))) return false
    const teamTracks = tracksOf.get(pair.teamId)
    return (
      teamTracks === undefined || judge.tracks.length === 0 || judge.tracks.some(id => teamTracks.has(id))
    )
  }
}

/** Ids contain no line feed. */
const writeKey = ({ teamId, judgeId }: Pair) => `${teamId}\n${judgeId}`

const foldTag = (tag: string) => tag.trim().toLowerCase()
