// Reads the coverage of a team: its entries once, its calls each time, in slices that let other work go first.
import { parseRange } from '../directory/parse-times.ts'
import type { CallTexts, SpokenTexts } from '../ledger/call-record.ts'
import type { Board } from '../store/statements/boards.ts'
import type { ReadEntriesAfterInput } from '../store/statements/list-entries.ts'
import type { ReadCallsAfterInput } from '../store/statements/read-calls.ts'
import { Clients } from '../world/clients.ts'
import type { World } from '../world/world.ts'
import { type JudgedCall, judgeCalls, type RecordedCall } from './judge-calls.ts'
import { LogNames, type NamesInLog } from './log-names.ts'
import { readEntry, type StoredEntry } from './read-entry.ts'
import { SessionBook, sessionKey } from './session-book.ts'
import { type LoggedSession, type LoggedWork, SessionLog } from './session-log.ts'
import { type CoverageSum, sumCoverage } from './sum-coverage.ts'

type Lock = Pick<Board, 'locked' | 'lockAt' | 'updatedAt' | 'eventLocks' | 'openedAt'>

export type CoverageReaderDependencies = Pick<World, 'clock'> & {
  /** Entries by number and calls by id, lowest first. */
  readonly read: {
    readonly readJoinRowsAfter: (input: ReadEntriesAfterInput) => Promise<readonly StoredEntry[]>
    readonly readCallsAfter: (input: ReadCallsAfterInput) => Promise<readonly RecordedCall[]>
    readonly readBoard: (input: { readonly teamId: string }) => Promise<Lock | undefined>
  }
  readonly digestTexts: (teamId: string, tool: string | null, texts: SpokenTexts) => CallTexts | null
  /** Resolves when the tasks waiting on this thread have run. */
  readonly pause: () => Promise<unknown>
}

/** Unix ms: calls that came at `from` or later, and before `until`. */
export type CoverageRange = ReturnType<typeof parseRange>
export const everyCall: CoverageRange = parseRange({})

export type TeamCoverage = CoverageSum & {
  readonly teamId: string
  /** When it was read (Unix ms). */
  readonly asOf: number
  /** In the order of their ids. */
  readonly calls: readonly JudgedCall[]
  /** All sessions of its log. */
  readonly logged: readonly LoggedSession[]
}

/** Each page is two statements, so that smaller ones mostly wait for the database; a slice takes some milliseconds to digest. */
const entriesPerPage = 1000
const bytesPerPage = 1024 * 1024
const entriesPerSlice = 200
const callsPerPage = 1000
/** Calls judged together: more would take hundreds of megabytes. A conversation is only continued among them. */
const callsPerRun = 20_000
/** A client that asks again sooner gets the same answer. */
const freshMs = 10_000
/** A client that pages through results gets an answer up to this age, while a newer one is read for the next page. */
const recentMs = 60_000
const maxKept = 64
/** Judged calls in all cached results: about 300 bytes each. */
const maxKeptCalls = 300_000
/**
 * Sessions, entries and digests of all teams: about 130 bytes each, so at most 200 MB. A team of 10,000 entries has 19,000 and is read
 * again in 0.2 s.
 */
const maxInMemory = 1_500_000

type TeamLog = {
  readonly log: SessionLog
  readonly book: SessionBook
  readonly names: LogNames
  lastSeq: number
  /** Serialises the readers of this log. */
  turn: Promise<unknown>
}

type Kept = {
  /** Unix ms of the request. */
  readonly at: number
  readonly coverage: Promise<TeamCoverage>
  /** The reading ends when the last of them has left. */
  readonly clients: Clients
  /** The newest complete result; null before the first. */
  last: TeamCoverage | null
}

export class CoverageReader {
  readonly #dependencies: CoverageReaderDependencies
  /** The team requested last comes last. */
  readonly #logs = new Map<string, TeamLog>()
  readonly #kept = new Map<string, Kept>()
  /** Only one is read at a time, for all who wait: all teams together take no more of the server than one. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(dependencies: CoverageReaderDependencies) {
    this.#dependencies = dependencies
  }

  /** `client`: aborts when the client has left. The reading then ends, unless others wait for the same. */
  read(teamId: string, range: CoverageRange, client?: AbortSignal): Promise<TeamCoverage> {
    return this.#share(teamId, range, client, clients => {
      const coverage = this.#turn.then(() => {
        clients.check()
        return this.#read(teamId, range, clients)
      })
      this.#turn = coverage.catch(() => undefined)
      return coverage
    })
  }

  /** Like `read`, but lets those who wait go first, so that no page of one team waits for another. For one caller at a time. */
  readBehind(teamId: string, range: CoverageRange): Promise<TeamCoverage> {
    return this.#share(teamId, range, undefined, clients =>
      this.#read(teamId, range, clients, () => this.#turn),
    )
  }

  /** What was read in the last ten seconds, or is being read, or else what `begin` reads. */
  #share(
    teamId: string,
    range: CoverageRange,
    client: AbortSignal | undefined,
    begin: (clients: Clients) => Promise<TeamCoverage>,
  ): Promise<TeamCoverage> {
    const key = keyOf(teamId, range)
    const at = this.#dependencies.clock()
    const known = this.#kept.get(key)
    if (known !== undefined && at - known.at < freshMs && at >= known.at && !known.clients.haveLeft)
      return known.clients.wait(known.coverage, client)
    const clients = new Clients()
    const coverage = begin(clients)
    this.#keep(key, { at, coverage, clients, last: known?.last ?? null })
    return clients.wait(coverage, client)
  }

  /** Like `read`, but at most a minute old. A result older than that of `read` is read again in the background. */
  readRecent(teamId: string, range: CoverageRange): Promise<TeamCoverage> {
    const last = this.#kept.get(keyOf(teamId, range))?.last ?? null
    const age = last === null ? Number.POSITIVE_INFINITY : this.#dependencies.clock() - last.asOf
    if (last === null || age < 0 || age >= recentMs) return this.read(teamId, range)
    // Callers that wait for it see the failure; here the next reader tries again.
    if (age >= freshMs) this.read(teamId, range).catch(() => undefined)
    return Promise.resolve(last)
  }

  /** What the log says about its sessions, with all entries that existed when this was called. It changes when more are read. */
  async readBook(teamId: string): Promise<SessionBook> {
    const { book } = await this.#readLog(teamId, null)
    this.#forgetLogs()
    return book
  }

  /** What all entries that existed when this was called name people, repositories, branches and users, and the number of the last of them. */
  async readNames(teamId: string): Promise<NamesInLog & { readonly lastSeq: number }> {
    const { names, lastSeq } = await this.#readLog(teamId, null)
    this.#forgetLogs()
    return { ...names.read(), lastSeq }
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    for (const [oldest, { at }] of this.#kept) {
      if (this.#kept.size <= maxKept && kept.at - at < recentMs) break
      this.#kept.delete(oldest)
    }
    const forget = () => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    }
    kept.coverage.then(found => {
      kept.last = found
      this.#forgetCoverage(key)
    }, forget)
  }

  /** Drops the oldest when all together have too many calls, but not that of `key`. */
  #forgetCoverage(key: string): void {
    const sizeOf = ({ last }: Kept) => last?.calls.length ?? 0
    let size = [...this.#kept.values()].reduce((sum, kept) => sum + sizeOf(kept), 0)
    for (const [oldest, kept] of this.#kept) {
      if (size <= maxKeptCalls) break
      if (oldest === key) continue
      this.#kept.delete(oldest)
      size -= sizeOf(kept)
    }
  }

  /** `giveWay`: resolves when those who go first have been served; not while the log is read, which they may wait for. */
  async #read(
    teamId: string,
    range: CoverageRange,
    clients: Clients,
    giveWay: () => Promise<unknown> = async () => undefined,
  ): Promise<TeamCoverage> {
    const { read, clock } = this.#dependencies
    const { log } = await this.#readLog(teamId, clients)
    const board = await read.readBoard({ teamId })
    const asOf = clock()
    const work = log.read()
    const input = { work, now: asOf, closedAt: findClose(board, asOf) }
    const calls = await this.#judge(teamId, range, input, clients, giveWay)
    this.#forgetLogs()
    return { ...sumCoverage(calls, work.sessions, range), teamId, asOf, calls, logged: work.sessions }
  }

  /** `clients`: null reads to the end. */
  async #readLog(teamId: string, clients: Clients | null): Promise<TeamLog> {
    const known = this.#logs.get(teamId) ?? {
      log: new SessionLog((tool, texts) => this.#dependencies.digestTexts(teamId, tool, texts)),
      book: new SessionBook(),
      names: new LogNames(),
      lastSeq: 0,
      turn: Promise.resolve(),
    }
    this.#logs.delete(teamId)
    this.#logs.set(teamId, known)
    // Each entry is added once, even with concurrent readers.
    const reading = known.turn.then(() => this.#addEntries(teamId, known, clients))
    known.turn = reading.catch(() => undefined)
    await reading
    return known
  }

  async #addEntries(teamId: string, known: TeamLog, clients: Clients | null): Promise<void> {
    const { read, pause } = this.#dependencies
    const readAfter = (afterSeq: number) =>
      read.readJoinRowsAfter({ teamId, afterSeq, limit: entriesPerPage, maximumBytes: bytesPerPage })
    let next = readAfter(known.lastSeq)
    for (;;) {
      const entries = await next
      const last = entries.at(-1)
      if (last === undefined) return
      // The database reads the next page while this one is digested.
      next = readAhead(readAfter(last.seq))
      for (let start = 0; start < entries.length; start += entriesPerSlice) {
        for (const stored of entries.slice(start, start + entriesPerSlice)) {
          const entry = readEntry(stored)
          known.log.add(entry)
          known.book.add(entry)
          known.names.add(entry, stored.body)
          known.lastSeq = stored.seq
        }
        await pause()
        clients?.check()
      }
    }
  }

  async #judge(
    teamId: string,
    range: CoverageRange,
    input: { readonly work: LoggedWork; readonly now: number; readonly closedAt: number | null },
    clients: Clients,
    giveWay: () => Promise<unknown>,
  ): Promise<JudgedCall[]> {
    const { read } = this.#dependencies
    const readAfter = (afterId: string | null): Promise<readonly RecordedCall[]> =>
      read.readCallsAfter({ teamId, ...range, afterId, limit: callsPerPage })
    const judged: JudgedCall[] = []
    let run: RecordedCall[] = []
    let next = readAfter(null)
    for (;;) {
      const calls = await next
      await giveWay()
      clients.check()
      const last = calls.length < callsPerPage ? undefined : calls.at(-1)
      // The database reads the next page while this one is judged.
      if (last !== undefined) next = readAhead(readAfter(last.callId))
      run.push(...calls)
      if (last !== undefined && run.length < callsPerRun) continue
      const steps = judgeCalls({ ...input, calls: run })
      for (const call of await this.#finish(steps, clients, giveWay)) judged.push(call)
      if (last === undefined) return judged
      run = []
    }
  }

  async #finish<Result>(
    steps: Generator<void, Result>,
    clients: Clients,
    giveWay: () => Promise<unknown>,
  ): Promise<Result> {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      await this.#dependencies.pause()
      await giveWay()
      clients.check()
    }
  }

  #forgetLogs(): void {
    const sizeOf = ({ log, book }: TeamLog) => log.size + book.size
    let size = [...this.#logs.values()].reduce((sum, team) => sum + sizeOf(team), 0)
    for (const [teamId, team] of this.#logs) {
      if (size <= maxInMemory || this.#logs.size === 1) break
      this.#logs.delete(teamId)
      size -= sizeOf(team)
    }
  }
}

/** Keeps the failure of a page that is never awaited, because its reading ended, from being reported as unhandled. */
function readAhead<Page>(page: Promise<Page>): Promise<Page> {
  page.catch(() => undefined)
  return page
}

function keyOf(teamId: string, { from, until }: CoverageRange): string {
  return `${from} ${until} ${teamId}`
}

/**
 * The session, of the log or of calls alone, that a call belongs to; null if it fits several or names none. A call of a program that is not
 * an agent belongs to none.
 */
export function sessionOf({ call, class: found, sessions }: JudgedCall): string | null {
  const [only] = sessions
  if (sessions.length > 0) return sessions.length === 1 ? (only ?? null) : null
  return call.sessionId !== null && found !== 'app' ? sessionKey(call.tool, call.sessionId) : null
}

/** When a board stopped accepting entries: locked by hand, at its set time, or locked for good by the event. */
function findClose(board: Lock | undefined, now: number): number | null {
  if (board === undefined) return null
  if (board.lockAt !== null && board.lockAt <= now) return board.lockAt
  if (board.locked) return board.updatedAt
  const { eventLocks, openedAt } = board
  const closed = eventLocks.filter(
    ({ closesAt, lateUntil, reopensAt }) =>
      lateUntil <= now && (reopensAt === null || now < reopensAt) && closesAt > (openedAt ?? closesAt - 1),
  )
  return closed.length === 0 ? null : Math.min(...closed.map(({ lateUntil }) => lateUntil))
}
