// The teams that are judged, by name, with their numbers if judging is blind.
import type { ProgressReply } from '@fairgate/contracts/judging/scores.ts'
import { readOf, useRead } from '../../../api/use-read.ts'

export type JudgedTeam = ProgressReply['teams'][number]

export function useJudgedTeams() {
  const progress = useRead(readOf<ProgressReply>('/judging/progress'))
  const rows: readonly JudgedTeam[] = progress.data?.teams ?? []
  return { ...progress, rows }
}
