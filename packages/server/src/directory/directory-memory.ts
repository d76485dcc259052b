// Holds every team, member, key, log token and the event in memory, for lookups without waiting, and tracks by number which changes on disk it
// includes.
import { type HoldBasis, oneInMillionths, type UnchargedSum } from '../ledger/hold-ratio.ts'
import type { DirectoryChanges } from '../store/statements/read-directory.ts'
import type { Store } from '../store/store.ts'
import { type Announcement, fromAnnouncementRow } from './announcements.ts'
import { withoutDemoTeam } from './demo-team.ts'
import {
  fromDeletedKeyRow,
  fromKeyRow,
  fromLogTokenRow,
  fromMemberRow,
  fromTeamRow,
  fromUnchargedRow,
} from './directory-rows.ts'
import { type Event, emptyEvent } from './event/event.ts'
import { fromEventRow } from './event/event-record.ts'
import { secretsOf } from './key-secrets.ts'
import type { Written } from './run-changes.ts'
import { type DeletedKey, isHidden, type Key, type LogToken, type Member, type Team } from './types.ts'

/** The records that a command of this process has written under one change number. */
type OwnChange = {
  readonly teams?: readonly Team[]
  readonly keys?: readonly Key[]
  readonly logTokens?: readonly LogToken[]
  readonly members?: readonly Member[]
  readonly announcements?: readonly Announcement[]
  readonly deletedKeys?: readonly DeletedKey[]
  readonly event?: Event
  readonly uncharged?: readonly UnchargedSum[]
}

/** Lookups are synchronous; lists are in order of creation. */
export type DirectoryLookups = Omit<
  DirectoryMemory,
  'versionOf' | 'refresh' | 'reload' | 'note' | 'commit' | 'noteCatalog' | 'onCatalogChange'
>

type Held = Team | Key | LogToken | Member | Announcement | Event

export class DirectoryMemory {
  readonly #read: Pick<Store['read'], 'readDirectory'>
  readonly #teams = new Map<string, Team>()
  readonly #keys = new Map<string, Key>()
  /** By the hash of each secret that works now or was the last to work. */
  readonly #keysBySecret = new Map<string, Key>()
  readonly #keysByTeam = new Map<string, Map<string, Key>>()
  readonly #tokens = new Map<string, LogToken>()
  readonly #tokensById = new Map<string, LogToken>()
  readonly #members = new Map<string, Member>()
  /** By team, then by what the hold was calculated from. */
  readonly #uncharged = new Map<string, Map<string, UnchargedSum>>()
  readonly #announcements = new Map<string, Announcement>()
  /** Records are replaced and never changed, and are compared in places that do not know about versions. */
  readonly #versions = new WeakMap<Held, number>()
  readonly #deletedNames = new Map<string, DeletedKey>()
  /** Keys deleted here while earlier reads that still have them may be under way, with the number of the deletion. */
  readonly #deletedKeys = new Map<string, number>()
  /** A new object each time, because versions are keyed by object. */
  #event: Event = { ...emptyEvent }
  #version = 0
  #catalogVersion = 0
  #onCatalogChange: () => void = () => undefined
  #lastRefresh: Promise<unknown> = Promise.resolve()

  private constructor(read: Pick<Store['read'], 'readDirectory'>) {
    this.#read = read
  }

  /** Throws if a row holds something that Fairgate did not write. */
  static async load(read: Pick<Store['read'], 'readDirectory'>): Promise<DirectoryMemory> {
    const memory = new DirectoryMemory(read)
    await memory.reload()
    return memory
  }

  readonly findTeam = (teamId: string): Team | undefined => this.#teams.get(teamId)
  /** By its identity: the lower-case hex SHA-256 of its first secret. */
  readonly findKey = (keyHash: string): Key | undefined => this.#keys.get(keyHash)
  /** By lower-case hex SHA-256 of a secret; also finds one that a new secret has replaced (see key-secrets.ts). */
  readonly findKeyBySecret = (secretHash: string): Key | undefined => this.#keysBySecret.get(secretHash)
  /** The name of a key, deleted or not. */
  readonly findKeyName = (keyHash: string): Pick<Key, 'keyName' | 'alias' | 'memberId'> | undefined =>
    this.#keys.get(keyHash) ?? this.#deletedNames.get(keyHash)
  /** In order of deletion. */
  readonly deletedKeys = (): readonly DeletedKey[] => [...this.#deletedNames.values()]
  /** By lower-case hex SHA-256 of the token; revoked ones are found too. */
  readonly findLogToken = (tokenHash: string): LogToken | undefined => this.#tokens.get(tokenHash)
  readonly findLogTokenById = (tokenId: string): LogToken | undefined => this.#tokensById.get(tokenId)
  /** Without hidden ones; includes the demo team only if there is no other. */
  readonly teams = (): readonly Team[] => withoutDemoTeam(this.everyTeam()).filter(team => !isHidden(team))
  readonly hiddenTeams = (): readonly Team[] => this.everyTeam().filter(isHidden)
  readonly everyTeam = (): readonly Team[] => [...this.#teams.values()]
  readonly keys = (): readonly Key[] => [...this.#keys.values()]
  readonly keysOfTeam = (teamId: string): readonly Key[] => [
    ...(this.#keysByTeam.get(teamId)?.values() ?? []),
  ]
  readonly logTokens = (): readonly LogToken[] => [...this.#tokens.values()]
  /** Removed ones are found too. */
  readonly findMember = (memberId: string): Member | undefined => this.#members.get(memberId)
  /** Removed ones included. */
  readonly members = (): readonly Member[] => [...this.#members.values()]
  /** Current members only. */
  readonly membersOfTeam = (teamId: string): readonly Member[] =>
    this.members().filter(member => member.teamId === teamId && member.removedAt === null)
  /** Removed ones are found too. */
  readonly findAnnouncement = (id: string): Announcement | undefined => this.#announcements.get(id)
  /** Includes expired and removed ones. */
  readonly announcements = (): readonly Announcement[] => [...this.#announcements.values()]
  /** The use of the team's calls above their holds. */
  readonly unchargedOf = (teamId: string): readonly UnchargedSum[] => [
    ...(this.#uncharged.get(teamId)?.values() ?? []),
  ]
  /** In millionths; one million as long as no such call has used more than its hold. */
  readonly findHoldRatio = (basis: HoldBasis): number =>
    this.#uncharged.get(basis.teamId)?.get(nameBasis(basis))?.ratio ?? oneInMillionths
  /** The event's settings; `emptyEvent` before anything is set. */
  readonly event = (): Event => this.#event
  /** Every change of the directory up to this number applies here. */
  readonly version = (): number => this.#version

  /** The change that last wrote a record: its row must still have this version when the next change is written. */
  versionOf(record: Held): number {
    return this.#versions.get(record) ?? 0
  }

  /** Reads changes of other processes. If that fails, rejects and changes nothing. */
  refresh(): Promise<void> {
    return this.#readAfter(() => this.#version)
  }

  /** Rereads everything from the disk. If that fails, rejects and changes nothing. */
  reload(): Promise<void> {
    return this.#readAfter(() => null)
  }

  /** Applies a change of this process, once it is on disk. */
  note(version: number, change: OwnChange): void {
    for (const team of change.teams ?? []) this.#set(this.#teams, team.teamId, team, version)
    for (const key of change.keys ?? []) this.#setKey(key, version)
    for (const token of change.logTokens ?? []) this.#setLogToken(token, version)
    for (const member of change.members ?? []) this.#set(this.#members, member.memberId, member, version)
    for (const notice of change.announcements ?? [])
      this.#set(this.#announcements, notice.announcementId, notice, version)
    if (change.event !== undefined) this.#setEvent(change.event, version)
    for (const sum of change.uncharged ?? []) this.#setUncharged(sum)
    for (const deleted of change.deletedKeys ?? []) {
      this.#removeKey(deleted.keyHash)
      this.#deletedKeys.set(deleted.keyHash, version)
      this.#deletedNames.set(deleted.keyHash, deleted)
    }
    this.#sort()
    // Otherwise a change of another process is in between, and a refresh still has to read it.
    if (version === this.#version + 1) this.#version = version
  }

  /** Like `note`, and returns the command's result. Null, with nothing noted, if another writer was faster (`version` null). */
  commit<Result>(version: number | null, change: OwnChange, result: Result): Written<Result> | null {
    if (version === null) return null
    this.note(version, change)
    return { version, result }
  }

  /** Like `note`, for a catalog change, which this process already knows. */
  noteCatalog(version: number): void {
    this.#catalogVersion = Math.max(this.#catalogVersion, version)
    this.note(version, {})
  }

  /** Runs when another process has reloaded its model catalog. */
  onCatalogChange(run: () => void): void {
    this.#onCatalogChange = run
  }

  /** One at a time, so that no older reading comes after a newer one. */
  #readAfter(choose: () => number | null): Promise<void> {
    const result = this.#lastRefresh.then(async () => {
      this.#apply(await this.#read.readDirectory({ after: choose() }))
    })
    this.#lastRefresh = result.catch(() => undefined)
    return result
  }

  /** All in one step, so that no lookup sees half of it. */
  #apply(changes: DirectoryChanges): void {
    if (!changes.isWhole && changes.version <= this.#version) return
    const teams = withVersions(changes.teams, fromTeamRow)
    const keys = withVersions(changes.keys, fromKeyRow)
    const tokens = withVersions(changes.logTokens, fromLogTokenRow)
    const deletedNames = changes.deletedNames.map(fromDeletedKeyRow)
    const members = withVersions(changes.members, fromMemberRow)
    const announcements = withVersions(changes.announcements, fromAnnouncementRow)
    const event = changes.event === null ? null : fromEventRow(changes.event)
    if (changes.isWhole) this.#clear()
    for (const [team, version] of teams) this.#set(this.#teams, team.teamId, team, version)
    for (const [key, version] of keys) {
      if (!this.#deletedKeys.has(key.keyHash)) this.#setKey(key, version)
    }
    for (const [token, version] of tokens) this.#setLogToken(token, version)
    for (const [member, version] of members) this.#set(this.#members, member.memberId, member, version)
    for (const [notice, version] of announcements)
      this.#set(this.#announcements, notice.announcementId, notice, version)
    for (const row of changes.uncharged) this.#setUncharged(fromUnchargedRow(row))
    if (event !== null) this.#setEvent(event, changes.event?.version ?? 0)
    for (const { keyHash } of changes.deletedKeys) this.#removeKey(keyHash)
    for (const deleted of deletedNames) this.#deletedNames.set(deleted.keyHash, deleted)
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
    for (const map of [this.#teams, this.#keys, this.#keysBySecret, this.#keysByTeam]) map.clear()
    for (const map of [this.#tokens, this.#tokensById, this.#members, this.#deletedNames]) map.clear()
    this.#announcements.clear()
    this.#uncharged.clear()
    this.#event = { ...emptyEvent }
    this.#version = 0
  }

  #set<Record extends Held>(records: Map<string, Record>, id: string, next: Record, version: number): void {
    if (this.#isNewer(records.get(id), next, version)) records.set(id, next)
  }

  #setKey(key: Key, version: number): void {
    const before = this.#keys.get(key.keyHash)
    if (!this.#isNewer(before, key, version)) return
    for (const hash of before === undefined ? [] : secretsOf(before)) this.#keysBySecret.delete(hash)
    for (const hash of secretsOf(key)) this.#keysBySecret.set(hash, key)
    this.#keys.set(key.keyHash, key)
    const ofTeam = this.#keysByTeam.get(key.teamId) ?? new Map<string, Key>()
    this.#keysByTeam.set(key.teamId, ofTeam.set(key.keyHash, key))
  }

  #setLogToken(token: LogToken, version: number): void {
    if (!this.#isNewer(this.#tokens.get(token.tokenHash), token, version)) return
    this.#tokens.set(token.tokenHash, token)
    this.#tokensById.set(token.tokenId, token)
  }

  #setUncharged(sum: UnchargedSum): void {
    const ofTeam = this.#uncharged.get(sum.teamId) ?? new Map<string, UnchargedSum>()
    this.#uncharged.set(sum.teamId, ofTeam)
    const before = ofTeam.get(nameBasis(sum))
    if (before === undefined || before.version < sum.version) ofTeam.set(nameBasis(sum), sum)
  }

  #setEvent(event: Event, version: number): void {
    if (this.#isNewer(this.#event, event, version)) this.#event = event
  }

  /** Decides whether `next` replaces `held`. A change of this process and an earlier read may come in either order. */
  #isNewer(held: Held | undefined, next: Held, version: number): boolean {
    if (held !== undefined && this.versionOf(held) >= version) return false
    this.#versions.set(next, version)
    return true
  }

  #removeKey(keyHash: string): void {
    const key = this.#keys.get(keyHash)
    if (key === undefined) return
    for (const hash of secretsOf(key)) this.#keysBySecret.delete(hash)
    this.#keys.delete(keyHash)
    this.#keysByTeam.get(key.teamId)?.delete(keyHash)
  }

  /** Two processes may create at nearly the same time and read each other's record later. */
  #sort(): void {
    sortByCreation(this.#teams)
    sortByCreation(this.#tokens)
    sortByCreation(this.#members)
    sortByCreation(this.#announcements)
    for (const keys of [this.#keys, ...this.#keysByTeam.values()]) sortByCreation(keys)
  }
}

function withVersions<Row extends { readonly version: number }, Record>(
  rows: readonly Row[],
  read: (row: Row) => Record,
): (readonly [Record, number])[] {
  return rows.map(row => [read(row), row.version])
}

function nameBasis({ modelId, endpoint, medium }: Omit<HoldBasis, 'teamId'>): string {
  return JSON.stringify([modelId, endpoint, medium])
}

/** Keeps the order of those created in the same millisecond. */
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
