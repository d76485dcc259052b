// Holds every team, key and log token in memory, for lookups without waiting. A change arrives here after the disk has it.
import type { Store } from '../store/store.ts'
import { fromKeyRow, fromLogTokenRow, fromTeamRow } from './directory-rows.ts'
import type { Key, LogToken, Team } from './types.ts'

export type DirectoryMemory = Awaited<ReturnType<typeof loadDirectoryMemory>>

export type DirectoryLookups = Omit<
  DirectoryMemory,
  'setTeam' | 'setKey' | 'removeKey' | 'setLogToken' | 'reload'
>

/** Lookups answer at once; lists are in the order of creation. Throws when a row holds something that Fairgate did not write. */
export async function loadDirectoryMemory(read: Store['read']) {
  const teams = new Map<string, Team>()
  const keys = new Map<string, Key>()
  const keysByTeam = new Map<string, Map<string, Key>>()
  const tokens = new Map<string, LogToken>()
  const tokensById = new Map<string, LogToken>()
  const setTeam = (team: Team): void => {
    teams.set(team.teamId, team)
  }
  const setKey = (key: Key): void => {
    keys.set(key.keyHash, key)
    const ofTeam = keysByTeam.get(key.teamId) ?? new Map<string, Key>()
    keysByTeam.set(key.teamId, ofTeam.set(key.keyHash, key))
  }
  const setLogToken = (token: LogToken): void => {
    tokens.set(token.tokenHash, token)
    tokensById.set(token.tokenId, token)
  }
  /** Reads everything from the disk again. Rejects and changes nothing when that fails. */
  const reload = async (): Promise<void> => {
    const rows = {
      teams: (await read.readTeams()).map(fromTeamRow),
      keys: (await read.readKeys()).map(fromKeyRow),
      logTokens: (await read.readLogTokens()).map(fromLogTokenRow),
    }
    // All in one step, so that no lookup finds it half empty.
    for (const map of [teams, keys, keysByTeam, tokens, tokensById]) map.clear()
    for (const team of rows.teams) setTeam(team)
    for (const key of rows.keys) setKey(key)
    for (const token of rows.logTokens) setLogToken(token)
  }
  await reload()
  return {
    findTeam: (teamId: string): Team | undefined => teams.get(teamId),
    /** By lower-case hex SHA-256 of the key. */
    findKey: (keyHash: string): Key | undefined => keys.get(keyHash),
    /** By lower-case hex SHA-256 of the token; a revoked one is found too. */
    findLogToken: (tokenHash: string): LogToken | undefined => tokens.get(tokenHash),
    findLogTokenById: (tokenId: string): LogToken | undefined => tokensById.get(tokenId),
    teams: (): readonly Team[] => [...teams.values()],
    keys: (): readonly Key[] => [...keys.values()],
    keysOfTeam: (teamId: string): readonly Key[] => [...(keysByTeam.get(teamId)?.values() ?? [])],
    logTokens: (): readonly LogToken[] => [...tokens.values()],
    setTeam,
    setKey,
    removeKey: (key: Key): void => {
      keys.delete(key.keyHash)
      keysByTeam.get(key.teamId)?.delete(key.keyHash)
    },
    setLogToken,
    reload,
  }
}
