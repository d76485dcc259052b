// Chooses how judges know the teams by the current set-up, and keeps the names to be hidden up to date.
import type { Directory } from '../../directory/create-directory.ts'
import type { CoverageReader } from '../../record/coverage-reader.ts'
import type { NamesInLog } from '../../record/log-names.ts'
import type { Store } from '../../store/store.ts'
import type { Disguise } from '../disguise.ts'
import type { JudgingLog, ReadState } from '../judging-log.ts'
import { createPlainDisguise } from '../plain-disguise.ts'
import { createBlindDisguise, writeMeaning } from './blind-disguise.ts'
import { numberTeams } from './draw-numbers.ts'
import { listNames, type NamedPerson, type NamedTeam } from './list-names.ts'
import { NameBook } from './name-book.ts'
import { namePeople, type PeopleNames } from './name-people.ts'

export type DisguisesDependencies = {
  readonly log: Pick<JudgingLog, 'state' | 'change'>
  readonly directory: Pick<
    Directory,
    | 'deletedKeys'
    | 'everyTeam'
    | 'findMember'
    | 'findTeam'
    | 'keys'
    | 'logTokens'
    | 'members'
    | 'teams'
    | 'version'
  >
  readonly read: Pick<Store['read'], 'listBoards' | 'listSubmissionHeads' | 'readNewestSubmissions'>
  readonly coverage: Pick<CoverageReader, 'readNames'>
  /** See `deriveNumbersKey`. */
  readonly numbersKey: Uint8Array
}

type Submitted = { readonly repositories: readonly string[]; readonly links: readonly string[] }

export class Disguises {
  readonly #given: DisguisesDependencies
  readonly #plain: Disguise
  readonly #inLogs = new Map<string, NamesInLog & { readonly lastSeq: number }>()
  #submitted: { readonly version: string; readonly byTeam: ReadonlyMap<string, Submitted> } = {
    version: '',
    byTeam: new Map(),
  }
  /** Counts the changes of names in logs and submissions. */
  #changes = 0
  #people: { readonly version: number; readonly names: PeopleNames } | null = null
  #book: { readonly version: string; readonly book: NameBook } | null = null
  #reading: { readonly hasBegun: () => boolean; readonly done: Promise<void> } | null = null

  constructor(given: DisguisesDependencies) {
    this.#given = given
    this.#plain = createPlainDisguise(given.directory)
  }

  /**
   * By the newest set-up, with all names that logs and submissions have by now. Use it for every reply with texts of teams. Rejects with
   * StoreUnavailable, and then nothing is shown.
   */
  async current(): Promise<Disguise> {
    const { log } = this.#given
    const state = await log.state()
    if (!state.isBlind()) return this.#plain
    // Teams that have come since the last deal.
    if (numberTeams(this.#given, state).length > 0)
      await log.change('fairgate', null, latest => ({
        records: numberTeams(this.#given, latest),
        audit: [],
        made: undefined,
      }))
    await this.#readNames()
    return this.of(await log.state())
  }

  /** With the names that were read last: only for what needs no cover. */
  of(state: ReadState): Disguise {
    if (!state.isBlind()) return this.#plain
    const { directory, numbersKey: key } = this.#given
    const numbers = state.numbers()
    const people = this.#namePeople()
    return createBlindDisguise({
      directory,
      numbers,
      people,
      key,
      book: () => this.#writeBook(numbers, people),
    })
  }

  /** A reading that has not begun yet serves all who ask meanwhile. */
  #readNames(): Promise<void> {
    if (this.#reading !== null && !this.#reading.hasBegun()) return this.#reading.done
    const before = this.#reading?.done ?? Promise.resolve()
    let hasBegun = false
    const reading = {
      hasBegun: () => hasBegun,
      done: before
        .catch(() => undefined)
        .then(() => {
          hasBegun = true
          return this.#readNewNames()
        })
        .finally(() => {
          if (this.#reading === reading) this.#reading = null
        }),
    }
    this.#reading = reading
    return reading.done
  }

  /** Two statements, and one reading for each team with new entries. */
  async #readNewNames(): Promise<void> {
    const { read, coverage } = this.#given
    const [boards, heads] = await Promise.all([read.listBoards(), read.listSubmissionHeads(null)])
    for (const { teamId, headSeq } of boards) {
      const known = this.#inLogs.get(teamId)
      if (headSeq <= (known?.lastSeq ?? 0)) continue
      const names = await coverage.readNames(teamId)
      this.#inLogs.set(teamId, names)
      if (known === undefined || countNames(known) !== countNames(names)) this.#changes += 1
    }
    const version = heads.map(head => `${head.teamId} ${head.version}`).join('\n')
    if (version === this.#submitted.version) return
    const newest = await read.readNewestSubmissions(null)
    this.#submitted = {
      version,
      byTeam: new Map(
        newest.map(({ record: { teamId, content } }) => [
          teamId,
          {
            repositories: [content.repository ?? []].flat(),
            links: [content.demoUrl ?? [], content.videoUrl ?? []].flat(),
          },
        ]),
      ),
    }
    this.#changes += 1
  }

  #namePeople(): PeopleNames {
    const { directory, numbersKey } = this.#given
    const version = directory.version()
    if (this.#people?.version !== version)
      this.#people = { version, names: namePeople(numbersKey, directory) }
    return this.#people.names
  }

  /** Made again when a name is new, and when the number of a team is: 50 ms for 60 teams with 5 people each. */
  #writeBook(numbers: ReadonlyMap<string, number>, people: PeopleNames): NameBook {
    const version = `${this.#given.directory.version()} ${numbers.size} ${this.#changes}`
    if (this.#book?.version !== version) {
      const names = this.#listTeams(people).flatMap(listNames)
      const write = (...[meaning, viewed]: Parameters<ConstructorParameters<typeof NameBook>[1]>) =>
        writeMeaning(meaning, viewed, numbers)
      this.#book = { version, book: new NameBook(names, write) }
    }
    return this.#book.book
  }

  #listTeams(people: PeopleNames): NamedTeam[] {
    const { directory } = this.#given
    const members = Map.groupBy(directory.members(), ({ teamId }) => teamId)
    const keys = Map.groupBy([...directory.keys(), ...directory.deletedKeys()], ({ teamId }) => teamId)
    const tokens = Map.groupBy(directory.logTokens(), ({ teamId }) => teamId)
    return directory.everyTeam().map(({ teamId, alias, metadata }) => {
      const { students = [], ...inLog } = this.#inLogs.get(teamId) ?? nothingInLog
      const own = keys.get(teamId) ?? []
      const contacts = [metadata, ...own.map(key => ('metadata' in key ? key.metadata : {}))].flatMap(
        findEmails,
      )
      const strangers = [...students, ...contacts, ...own.map(({ userId }) => userId).filter(isEmail)]
      return {
        teamId,
        alias,
        people: [
          ...(members.get(teamId) ?? []).map(({ memberId, name, email }) => ({
            letters: people.ofMember(memberId)?.letters ?? '',
            name,
            email,
          })),
          ...strangers
            .filter(address => people.ofEmail(teamId, address) === null)
            .map(address => describeStranger(address, people.ofStranger(teamId, address))),
        ],
        keys: [...own, ...(tokens.get(teamId) ?? [])].flatMap(held =>
          'alias' in held ? [held.alias, held.keyName] : [held.tokenName],
        ),
        inLog,
        ...(this.#submitted.byTeam.get(teamId) ?? { repositories: [], links: [] }),
      }
    })
  }
}

const nothingInLog: NamesInLog = { students: [], repositories: [], branches: [], users: [] }

function countNames({ students, repositories, branches, users }: NamesInLog): number {
  return students.length + repositories.length + branches.length + users.length
}

function describeStranger(address: string, letters: string): NamedPerson {
  return isEmail(address) ? { letters, name: null, email: address } : { letters, name: address, email: null }
}

function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text)
}

function findEmails(value: object): string[] {
  return JSON.stringify(value).match(/[^\s@"\\<>,;:()]{1,64}@[^\s@"\\<>,;:()]{1,255}/g) ?? []
}
