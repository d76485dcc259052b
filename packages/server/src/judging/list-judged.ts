// The teams that are judged: those that are neither hidden nor blocked.
import type { Directory } from '../directory/create-directory.ts'
import { isHidden, type Team } from '../directory/types.ts'

export function isJudged(team: Team): boolean {
  return !isHidden(team) && team.blocked !== true
}

export function listJudged(directory: Pick<Directory, 'teams'>): string[] {
  return directory
    .teams()
    .filter(isJudged)
    .map(({ teamId }) => teamId)
}
