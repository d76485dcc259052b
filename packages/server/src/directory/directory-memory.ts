// Holds every team, key and log token in memory, for lookups without waiting. A change arrives here after the disk has it.
import type { Store } from '../store/store.ts'
import { fromKeyRow, fromLogTokenRow, fromTeamRow } from './directory-rows.ts'
import type { Key, LogToken, Team } from './types.ts'

/** Lookups answer at once; lists are in the order of creation. */
export type DirectoryLookups = {
  readonly findTeam: (teamId: string) => Team | undefined
  /** By lower-case hex SHA-256 of the key. */
  readonly findKey: (keyHash: string) => Key | undefined
  /** By lower-case hex SHA-256 of the token; a revoked one is found too. */
  readonly findLogToken: (tokenHash: string) => LogToken | undefined
  readonly findLogTokenById: (tokenId: string) => LogToken | undefined
  readonly teams: () => readonly Team[]
  readonly keys: () => readonly Key[]
  readonly keysOfTeam: (teamId: string) => readonly Key[]
  readonly logTokens: () => readonly LogToken[]
}

export type DirectoryMemory = DirectoryLookups & {
  readonly setTeam: (team: Team) => void
  readonly setKey: (key: Key) => void
  readonly removeKey: (key: Key) => void
  readonly setLogToken: (token: LogToken) => void
  /** Reads everything from the disk again. Rejects and changes nothing when that fails. */
  readonly reload: () => Promise<void>
}

/** Throws when a row holds something that Fairgate did not write. */
export async function loadDirectoryMemory(read: Store['read']): Promise<DirectoryMemory> {
  const teams = new Map<string, Team>()
  const keys = new Map<string, Key>()
  const keysByTeam = new Map<string, Map<string, Key>>()
  const tokens = new Map<string, LogToken>()
  const tokensById = new Map<string, LogToken>()
  const memory: DirectoryMemory = {
    findTeam: teamId => teams.get(teamId),
    findKey: keyHash => keys.get(keyHash),
    findLogToken: tokenHash => tokens.get(tokenHash),
    findLogTokenById: tokenId => tokensById.get(tokenId),
    teams: () => [...teams.values()],
    keys: () => [...keys.values()],
    keysOfTeam: teamId => [...(keysByTeam.get(teamId)?.values() ?? [])],
    logTokens: () => [...tokens.values()],
    setTeam: team => {
      teams.set(team.teamId, team)
    },
    setKey: key => {
      keys.set(key.keyHash, key)
      const ofTeam = keysByTeam.get(key.teamId) ?? new Map<string, Key>()
      keysByTeam.set(key.teamId, ofTeam.set(key.keyHash, key))
    },
    removeKey: key => {
      keys.delete(key.keyHash)
      keysByTeam.get(key.teamId)?.delete(key.keyHash)
    },
    setLogToken: token => {
      tokens.set(token.tokenHash, token)
      tokensById.set(token.tokenId, token)
    },
    reload: async () => {
      const rows = {
        teams: (await read.readTeams()).map(fromTeamRow),
        keys: (await read.readKeys()).map(fromKeyRow),
        logTokens: (await read.readLogTokens()).map(fromLogTokenRow),
      }
      // All in one step, so that no lookup finds it half empty.
      for (const map of [teams, keys, keysByTeam, tokens, tokensById]) map.clear()
      for (const team of rows.teams) memory.setTeam(team)
      for (const key of rows.keys) memory.setKey(key)
      for (const token of rows.logTokens) memory.setLogToken(token)
    },
  }
  await memory.reload()
  return memory
}
