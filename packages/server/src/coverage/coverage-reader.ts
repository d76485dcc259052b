// Reads the coverage of a team: its entries once, its calls each time, in slices that let everybody else go first.
import type { CallTexts, SpokenTexts } from '../ledger/call-record.ts'
import { type JudgedCall, judgeCalls, type RecordedCall } from './judge-calls.ts'
import { readEntry, type StoredEntry } from './read-entry.ts'
import { type LoggedWork, SessionLog } from './session-log.ts'
import { type CoverageSum, sumCoverage } from './sum-coverage.ts'

type Lock = { readonly locked: boolean; readonly lockAt: number | null; readonly updatedAt: number }

export type CoverageReaderDependencies = {
  readonly read: {
    /** By number, the lowest first. */
    readonly readEntriesAfter: (input: {
      readonly teamId: string
      readonly afterSeq: number
      readonly limit: number
      readonly maximumBytes: number
    }) => Promise<readonly StoredEntry[]>
    /** By id, the lowest first. */
    readonly readCallsAfter: (input: {
      readonly teamId: string
      readonly from: number
      readonly until: number
      readonly afterId: string | null
      readonly limit: number
    }) => Promise<readonly RecordedCall[]>
    readonly readBoard: (input: { readonly teamId: string }) => Promise<Lock | undefined>
  }
  readonly digestTexts: (teamId: string, tool: string | null, texts: SpokenTexts) => CallTexts | null
  /** Unix ms. */
  readonly clock: () => number
  /** Resolves when what waits on this thread has run. */
  readonly pause: () => Promise<unknown>
}

/** Unix ms: calls that came at `from` or later, and before `until`. */
export type CoverageRange = { readonly from: number; readonly until: number }

export type TeamCoverage = CoverageSum & {
  readonly teamId: string
  /** When it was read (Unix ms). */
  readonly asOf: number
  /** In the order of their ids. */
  readonly calls: readonly JudgedCall[]
}

/** A page of entries takes some milliseconds to digest. */
const entriesPerPage = 200
const bytesPerPage = 256 * 1024
const callsPerPage = 500
/** So many calls are judged together: more would take hundreds of megabytes. A conversation is carried on only among them. */
const callsPerRun = 20_000
/** Somebody who asks again sooner gets the same answer. */
const freshMs = 10_000
const mostKept = 64
/** Sessions and digests of all teams: about 100 bytes each. */
const mostDigests = 2_000_000

type TeamLog = { readonly log: SessionLog; lastSeq: number }

export class CoverageReader {
  readonly #dependencies: CoverageReaderDependencies
  /** The team that was asked for last is the last. */
  readonly #logs = new Map<string, TeamLog>()
  readonly #kept = new Map<string, { readonly at: number; readonly coverage: Promise<TeamCoverage> }>()
  /** One is read at a time, whoever asks: all teams together take no more of the server than one. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(dependencies: CoverageReaderDependencies) {
    this.#dependencies = dependencies
  }

  read(teamId: string, range: CoverageRange): Promise<TeamCoverage> {
    const key = `${range.from} ${range.until} ${teamId}`
    const at = this.#dependencies.clock()
    const kept = this.#kept.get(key)
    if (kept !== undefined && at - kept.at < freshMs && at >= kept.at) return kept.coverage
    const coverage = this.#turn.then(() => this.#read(teamId, range))
    this.#turn = coverage.catch(() => undefined)
    this.#keep(key, at, coverage)
    return coverage
  }

  #keep(key: string, at: number, coverage: Promise<TeamCoverage>): void {
    this.#kept.delete(key)
    this.#kept.set(key, { at, coverage })
    for (const [oldest, { at: keptAt }] of this.#kept) {
      if (this.#kept.size <= mostKept && at - keptAt < freshMs) break
      this.#kept.delete(oldest)
    }
    const forget = () => {
      if (this.#kept.get(key)?.coverage === coverage) this.#kept.delete(key)
    }
    coverage.catch(forget)
  }

  async #read(teamId: string, range: CoverageRange): Promise<TeamCoverage> {
    const { read, clock } = this.#dependencies
    const { log } = await this.#readLog(teamId)
    const board = await read.readBoard({ teamId })
    const asOf = clock()
    const work = log.read()
    const calls = await this.#judge(teamId, range, { work, now: asOf, closedAt: findClose(board, asOf) })
    this.#forgetLogs()
    return { ...sumCoverage(calls, work.sessions, range), teamId, asOf, calls }
  }

  async #readLog(teamId: string): Promise<TeamLog> {
    const known = this.#logs.get(teamId) ?? {
      log: new SessionLog((tool, texts) => this.#dependencies.digestTexts(teamId, tool, texts)),
      lastSeq: 0,
    }
    this.#logs.delete(teamId)
    this.#logs.set(teamId, known)
    for (;;) {
      const page = { teamId, afterSeq: known.lastSeq, limit: entriesPerPage, maximumBytes: bytesPerPage }
      const entries = await this.#dependencies.read.readEntriesAfter(page)
      for (const entry of entries) known.log.add(readEntry(entry))
      known.lastSeq = entries.at(-1)?.seq ?? known.lastSeq
      if (entries.length === 0) return known
      await this.#dependencies.pause()
    }
  }

  async #judge(
    teamId: string,
    range: CoverageRange,
    input: { readonly work: LoggedWork; readonly now: number; readonly closedAt: number | null },
  ): Promise<JudgedCall[]> {
    const judged: JudgedCall[] = []
    let run: RecordedCall[] = []
    let afterId: string | null = null
    for (;;) {
      const page = { teamId, ...range, afterId, limit: callsPerPage }
      const calls: readonly RecordedCall[] = await this.#dependencies.read.readCallsAfter(page)
      run.push(...calls)
      afterId = calls.at(-1)?.callId ?? null
      const isLast = calls.length < callsPerPage
      if (!isLast && run.length < callsPerRun) continue
      for (const call of await this.#finish(judgeCalls({ ...input, calls: run }))) judged.push(call)
      if (isLast) return judged
      run = []
    }
  }

  async #finish<Result>(steps: Generator<void, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      await this.#dependencies.pause()
    }
  }

  #forgetLogs(): void {
    let size = [...this.#logs.values()].reduce((sum, { log }) => sum + log.size, 0)
    for (const [teamId, { log }] of this.#logs) {
      if (size <= mostDigests || this.#logs.size === 1) break
      this.#logs.delete(teamId)
      size -= log.size
    }
  }
}

/** From when on a board takes no entries: locked by hand, or its set time has come. */
function findClose(board: Lock | undefined, now: number): number | null {
  if (board === undefined) return null
  if (board.lockAt !== null && board.lockAt <= now) return board.lockAt
  return board.locked ? board.updatedAt : null
}
