// Holds every team, key and log token in memory, for lookups without waiting, and knows by number which changes of the disk it has.
import type { DirectoryChanges } from '../store/statements/read-directory.ts'
import type { Store } from '../store/store.ts'
import { fromKeyRow, fromLogTokenRow, fromTeamRow } from './directory-rows.ts'
import type { Key, LogToken, Team } from './types.ts'

/** What a command of this process has written under one number. */
export type OwnChange = {
  readonly team?: Team
  readonly key?: Key
  readonly logToken?: LogToken
  readonly deletedKeys?: readonly Key[]
}

/** Answers at once; lists are in the order of creation. */
export type DirectoryLookups = Pick<
  DirectoryMemory,
  | 'findTeam'
  | 'findKey'
  | 'findLogToken'
  | 'findLogTokenById'
  | 'teams'
  | 'keys'
  | 'keysOfTeam'
  | 'logTokens'
  | 'version'
>

export class DirectoryMemory {
  readonly #read: Pick<Store['read'], 'readDirectory'>
  readonly #teams = new Map<string, Team>()
  readonly #keys = new Map<string, Key>()
  readonly #keysByTeam = new Map<string, Map<string, Key>>()
  readonly #tokens = new Map<string, LogToken>()
  readonly #tokensById = new Map<string, LogToken>()
  /** Records are replaced and never changed, and are compared in places that know nothing of versions. */
  readonly #versions = new WeakMap<Team | Key | LogToken, number>()
  /** Keys deleted here while rows that still have them may be on their way, with the number of the deletion. */
  readonly #deletedKeys = new Map<string, number>()
  #version = 0
  #catalogVersion = 0
  #onCatalogChange: () => void = () => undefined
  #lastRefresh: Promise<unknown> = Promise.resolve()

  private constructor(read: Pick<Store['read'], 'readDirectory'>) {
    this.#read = read
  }

  /** Throws when a row holds something that Fairgate did not write. */
  static async load(read: Pick<Store['read'], 'readDirectory'>): Promise<DirectoryMemory> {
    const memory = new DirectoryMemory(read)
    await memory.reload()
    return memory
  }

  readonly findTeam = (teamId: string): Team | undefined => this.#teams.get(teamId)
  /** By lower-case hex SHA-256 of the key. */
  readonly findKey = (keyHash: string): Key | undefined => this.#keys.get(keyHash)
  /** By lower-case hex SHA-256 of the token; a revoked one is found too. */
  readonly findLogToken = (tokenHash: string): LogToken | undefined => this.#tokens.get(tokenHash)
  readonly findLogTokenById = (tokenId: string): LogToken | undefined => this.#tokensById.get(tokenId)
  readonly teams = (): readonly Team[] => [...this.#teams.values()]
  readonly keys = (): readonly Key[] => [...this.#keys.values()]
  readonly keysOfTeam = (teamId: string): readonly Key[] => [
    ...(this.#keysByTeam.get(teamId)?.values() ?? []),
  ]
  readonly logTokens = (): readonly LogToken[] => [...this.#tokens.values()]
  /** Every change of the directory up to this number is in force here. */
  readonly version = (): number => this.#version

  /** The change that a record was written by: what its row must still have when the next change is written. */
  versionOf(record: Team | Key | LogToken): number {
    return this.#versions.get(record) ?? 0
  }

  /** Reads what other processes have changed. Rejects and changes nothing when that fails. */
  refresh(): Promise<void> {
    return this.#readAfter(() => this.#version)
  }

  /** Reads everything from the disk again. Rejects and changes nothing when that fails. */
  reload(): Promise<void> {
    return this.#readAfter(() => null)
  }

  /** Puts a change of this process in force, once the disk has it. */
  note(version: number, { team, key, logToken, deletedKeys = [] }: OwnChange): void {
    if (team !== undefined) this.#setTeam(team, version)
    if (key !== undefined) this.#setKey(key, version)
    if (logToken !== undefined) this.#setLogToken(logToken, version)
    for (const { keyHash } of deletedKeys) {
      this.#removeKey(keyHash)
      this.#deletedKeys.set(keyHash, version)
    }
    this.#sort()
    // Otherwise a change of another process stands between, which a refresh still has to read.
    if (version === this.#version + 1) this.#version = version
  }

  /** As `note`, for a change of the catalog, which this process needs not be told of. */
  noteCatalog(version: number): void {
    this.#catalogVersion = Math.max(this.#catalogVersion, version)
    this.note(version, {})
  }

  /** Runs when another process has read its file of models again. */
  onCatalogChange(run: () => void): void {
    this.#onCatalogChange = run
  }

  /** One after the other, so that no older reading comes after a newer one. */
  #readAfter(choose: () => number | null): Promise<void> {
    const result = this.#lastRefresh.then(async () => {
      this.#apply(await this.#read.readDirectory({ after: choose() }))
    })
    this.#lastRefresh = result.catch(() => undefined)
    return result
  }

  /** All in one step, so that no lookup finds it half done. */
  #apply(changes: DirectoryChanges): void {
    if (!changes.isWhole && changes.version <= this.#version) return
    const teams = changes.teams.map(row => [fromTeamRow(row), row.version] as const)
    const keys = changes.keys.map(row => [fromKeyRow(row), row.version] as const)
    const tokens = changes.logTokens.map(row => [fromLogTokenRow(row), row.version] as const)
    if (changes.isWhole) this.#clear()
    for (const [team, version] of teams) this.#setTeam(team, version)
    for (const [key, version] of keys) {
      if (!this.#deletedKeys.has(key.keyHash)) this.#setKey(key, version)
    }
    for (const [token, version] of tokens) this.#setLogToken(token, version)
    for (const { keyHash } of changes.deletedKeys) this.#removeKey(keyHash)
    this.#sort()
    this.#version = Math.max(this.#version, changes.version)
    for (const [keyHash, version] of this.#deletedKeys)
      if (version <= this.#version) this.#deletedKeys.delete(keyHash)
    this.#applyCatalog(changes)
  }

  #applyCatalog({ isWhole, catalogVersion }: DirectoryChanges): void {
    const isNew = isWhole ? catalogVersion !== this.#catalogVersion : catalogVersion > this.#catalogVersion
    if (!isNew) return
    this.#catalogVersion = catalogVersion
    this.#onCatalogChange()
  }

  #clear(): void {
    for (const map of [this.#teams, this.#keys, this.#keysByTeam, this.#tokens, this.#tokensById]) map.clear()
    this.#version = 0
  }

  #setTeam(team: Team, version: number): void {
    if (this.#isNewer(this.#teams.get(team.teamId), team, version)) this.#teams.set(team.teamId, team)
  }

  #setKey(key: Key, version: number): void {
    if (!this.#isNewer(this.#keys.get(key.keyHash), key, version)) return
    this.#keys.set(key.keyHash, key)
    const ofTeam = this.#keysByTeam.get(key.teamId) ?? new Map<string, Key>()
    this.#keysByTeam.set(key.teamId, ofTeam.set(key.keyHash, key))
  }

  #setLogToken(token: LogToken, version: number): void {
    if (!this.#isNewer(this.#tokens.get(token.tokenHash), token, version)) return
    this.#tokens.set(token.tokenHash, token)
    this.#tokensById.set(token.tokenId, token)
  }

  /** Whether `next` takes the place of `held`. A change of this process and a reading from before it may come in either order. */
  #isNewer<Held extends Team | Key | LogToken>(held: Held | undefined, next: Held, version: number): boolean {
    if (held !== undefined && this.versionOf(held) >= version) return false
    this.#versions.set(next, version)
    return true
  }

  #removeKey(keyHash: string): void {
    const key = this.#keys.get(keyHash)
    if (key === undefined) return
    this.#keys.delete(keyHash)
    this.#keysByTeam.get(key.teamId)?.delete(keyHash)
  }

  /** Two processes may create at nearly the same time and read of each other later. */
  #sort(): void {
    sortByCreation(this.#teams)
    sortByCreation(this.#tokens)
    for (const keys of [this.#keys, ...this.#keysByTeam.values()]) sortByCreation(keys)
  }
}

/** Keeps the order of those that were created in the same millisecond. */
function sortByCreation<Item extends { readonly createdAt: number }>(map: Map<string, Item>): void {
  let last = Number.NEGATIVE_INFINITY
  for (const { createdAt } of map.values()) {
    if (createdAt < last) {
      const sorted = [...map].sort(([, one], [, other]) => one.createdAt - other.createdAt)
      map.clear()
      for (const [id, item] of sorted) map.set(id, item)
      return
    }
    last = createdAt
  }
}
