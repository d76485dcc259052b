// The teams that are judged, with their numbers if judging is blind.
import type { ProgressReply } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { readOf, useRead } from '../../../api/use-read.ts'

export type JudgedTeam = ProgressReply['teams'][number]

export function useJudgedTeams(setup: JudgingSetup | null) {
  const progress = useRead(readOf<ProgressReply>('/judging/progress'))
  return { ...progress, rows: showNumbers(progress.data?.teams ?? [], setup) }
}

/** Judges who see names do not know the numbers. */
export function showNumbers(teams: readonly JudgedTeam[], setup: JudgingSetup | null): readonly JudgedTeam[] {
  return setup?.blind === true ? teams : teams.map(team => ({ ...team, number: null }))
}
