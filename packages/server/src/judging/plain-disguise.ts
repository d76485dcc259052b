// How judges know the teams if judging is not blind: by their ids and names.
import type { Directory } from '../directory/create-directory.ts'
import type { Disguise } from './disguise.ts'
import { isJudged } from './list-judged.ts'

export function createPlainDisguise(directory: Pick<Directory, 'findMember' | 'findTeam'>): Disguise {
  const find = (teamId: string) => {
    const team = directory.findTeam(teamId)
    return team !== undefined && isJudged(team) ? team : null
  }
  return {
    isBlind: false,
    refOf: teamId => find(teamId)?.teamId ?? null,
    findTeam: ref => find(ref)?.teamId ?? null,
    nameOf: teamId => directory.findTeam(teamId)?.alias ?? teamId,
    personOf: (_teamId, person) =>
      'email' in person ? person.email : (directory.findMember(person.memberId)?.name ?? 'Unknown'),
    cover: (_teamId, value) => value,
    coverEntry: (_teamId, entry) => ({ ...entry }),
    coverId: (_teamId, id) => id,
  }
}
