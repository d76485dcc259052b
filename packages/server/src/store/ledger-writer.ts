// Group commit of charges and stream rows: everything that arrives while one commit runs goes into the next.
import type {
  CallRef,
  Charge,
  LateEnd,
  OpenedStream,
  StreamProgress,
  UndeliveredAnswer,
} from '../ledger/charge.ts'
import { buildRefund } from '../ledger/refund.ts'
import type { VideoTask } from '../ledger/video-task.ts'
import { Gathering, RunningStreams, type ServedStream } from './running-streams.ts'
import type { LedgerBatch } from './statements/ledger-batch.ts'
import type { ProcessRef } from './statements/processes.ts'
import type { WindowRowsChange } from './statements/window-rows.ts'
import { isStoreFailure } from './store-unavailable.ts'

/** Rows about the windows that go with a commit; one of the two functions is called after it has ended. */
export type WindowWrite = {
  readonly change: WindowRowsChange
  readonly written: () => void
  readonly failed: () => void
}

export type LedgerWriterDependencies = {
  /** The process that writes. */
  readonly process: () => ProcessRef
  readonly commit: (batch: LedgerBatch) => Promise<void>
  /**
   * The current counts of the windows, requested at each commit, and once a second for all of that second; null if nothing has changed. A
   * charge never waits for it: if it cannot be written, the charge is written without it.
   */
  readonly gatherWindows: (scope: 'commit' | 'second') => WindowWrite | null
  readonly reportWindowFailure: (error: unknown) => void
  /** Runs a function at this interval (ms); returns its stop. */
  readonly every: (milliseconds: number, run: () => void) => () => void
  readonly observeCommit: (rows: number, seconds: number) => void
  readonly reportFailure: (error: unknown, rows: number) => void
  readonly monotonicMs: () => number
  /** Resolves after the event loop has handled what is ready: with 64 callers a commit then has 31 charges instead of 17. */
  readonly nextTurn: () => Promise<void>
  /** Runs a function once, after this many milliseconds. */
  readonly after: (milliseconds: number, run: () => void) => void
}

type Work =
  | { readonly kind: 'open'; readonly stream: OpenedStream }
  | {
      readonly kind: 'charge'
      readonly charge: Charge
      readonly videoTask: VideoTask | null
      /** Null for the first attempt. */
      readonly lateEnd: LateEnd | null
    }
  | { readonly kind: 'drop'; readonly stream: CallRef }

/** Exactly one of the two is called after the commit of the work has ended. */
type Waiting = {
  readonly work: Work
  written(): void
  refused(error: unknown): void
}

type ChargeWork = Extract<Work, { kind: 'charge' }>

/** How a call handles a charge that cannot be written at once. */
export type LateCharge = {
  /** Called once, after the first attempt has failed and before the call gets the error. The charge is not tried again until this is decided. */
  readonly decideLateEnd: () => LateEnd | Promise<LateEnd>
  /** The charge was written to disk after all. */
  readonly noteWritten: (lateEnd: LateEnd) => void
}

/** `isRefunded`: the refund of the charge is on disk with it. */
type WhenDurable = (isRefunded?: boolean) => void
/** `call` is what the call of the charge waits for. */
type TryLater = (
  work: ChargeWork,
  onDurable: WhenDurable,
  late: LateCharge | null,
  error: unknown,
  call: PromiseWithResolvers<void>,
) => void

/** The first attempt at a charge, which its call waits for. A class, because closures for each charge are garbage for each call. */
class FirstTry implements Waiting {
  readonly work: ChargeWork
  readonly #onDurable: WhenDurable
  readonly #late: LateCharge | null
  readonly #tryLater: TryLater
  readonly #ended = Promise.withResolvers<void>()

  constructor(work: ChargeWork, onDurable: WhenDurable, late: LateCharge | null, tryLater: TryLater) {
    this.work = work
    this.#onDurable = onDurable
    this.#late = late
    this.#tryLater = tryLater
  }

  get ended(): Promise<void> {
    return this.#ended.promise
  }

  written(): void {
    try {
      this.#onDurable()
      this.#ended.resolve()
    } catch (error) {
      this.#ended.reject(error)
    }
  }

  refused(error: unknown): void {
    this.#tryLater(this.work, this.#onDurable, this.#late, error, this.#ended)
  }
}

const maximumBatch = 2000
const secondMs = 1000

export class LedgerWriter {
  readonly #dependencies: LedgerWriterDependencies
  readonly #stopTimer: () => void
  #waiting: Waiting[] = []
  /** Rows of streams: they go with the next commit, and start one themselves once they have gathered. */
  readonly #gathering: Gathering<Waiting>
  /** Failed work that is tried again at the next second. */
  #retrying: Waiting[] = []
  /** Charges of ended calls that are not on disk yet, from the first failure until they are written. */
  readonly #unwritten = new Set<Charge>()
  /** Each ends the wait for the decision on a late charge, which is then charged. */
  readonly #undecided = new Set<() => void>()
  readonly #streams = new RunningStreams()
  #isRunning = false
  #running: Promise<void> = Promise.resolve()
  #progressDue = false
  #windowsDue = false
  /** After a failure, only the timer of each second tries again. */
  #windowsFailed = false
  /** Multiple calls wait at once: another turn of the event loop brings more of them into the same commit. */
  #isBusy = false

  constructor(dependencies: LedgerWriterDependencies) {
    this.#dependencies = dependencies
    this.#gathering = new Gathering({ ...dependencies, whenGathered: () => this.#endGathering() })
    this.#stopTimer = dependencies.every(secondMs, () => this.#beginSecond())
  }

  /**
   * Resolves when the charge is on disk, after `onDurable`. Rejects if the store failed, unless `late` decides to wait; the charge is then
   * kept and tried again, and `onDurable` is called when it is finally written, so that the hold can stay until then. A task is written in
   * the same transaction.
   */
  charge(
    charge: Charge,
    onDurable: WhenDurable,
    videoTask: VideoTask | null = null,
    late: LateCharge | null = null,
  ): Promise<void> {
    this.#streams.end(charge.callId)
    const work = { kind: 'charge', charge, videoTask, lateEnd: null } as const
    const firstTry = new FirstTry(work, onDurable, late, this.#chargeLater)
    this.#submit(firstTry)
    return firstTry.ended
  }

  /** Resolves when the row is on disk. */
  openStream(stream: OpenedStream, served: ServedStream): Promise<void> {
    const { teamId, callId } = stream
    this.#streams.begin(callId, served)
    return new Promise((resolve, reject) => {
      this.#submit({
        work: { kind: 'open', stream },
        written: resolve,
        refused: error => {
          this.#streams.end(callId)
          // The answer to a commit can be lost although the commit was carried out.
          if (isStoreFailure(error)) this.#dropLater({ teamId, callId })
          reject(error)
        },
      })
    })
  }

  /** Removes the row of a stream that ended without a charge; if the store failed, as soon as it can. */
  dropStream(stream: CallRef): Promise<void> {
    this.#streams.end(stream.callId)
    return new Promise((resolve, reject) => {
      this.#submit({
        work: { kind: 'drop', stream },
        written: resolve,
        refused: error => {
          if (isStoreFailure(error)) this.#dropLater(stream)
          reject(error)
        },
      })
    })
  }

  /** For a process that others consider dead: they may have charged its streams, so it must deliver nothing more of them. */
  stopStreams(): void {
    this.#streams.stopAll(error => this.#dependencies.reportFailure(error, 0))
  }

  /** Open streams that are neither charged nor dropped. */
  countStreams(): number {
    return this.#streams.count()
  }

  /** False while charges wait to be tried again: no new paid call may start then. */
  isHealthy(): boolean {
    return this.#unwritten.size === 0
  }

  /** Charges of ended calls that wait to be tried again. */
  countUnwritten(): number {
    return this.#unwritten.size
  }

  /** Writes the rest and stops; false if charges could not be written. */
  async close(): Promise<boolean> {
    this.#stopTimer()
    for (const charge of this.#undecided) charge()
    await this.#dependencies.nextTurn()
    this.#retry()
    this.#endGathering()
    await this.#running
    // The effect of the last charges on the windows is known once they have been settled.
    await this.#dependencies.nextTurn()
    this.#windowsDue = true
    this.#wake()
    await this.#running
    return this.isHealthy()
  }

  #submit(waiting: Waiting): void {
    if (isOfStream(waiting.work) && this.#gathering.add(waiting)) return
    this.#waiting.push(waiting)
    this.#wake()
  }

  #endGathering(): void {
    this.#waiting.push(...this.#gathering.take())
    this.#wake()
  }

  #beginSecond(): void {
    this.#progressDue = this.#streams.count() > 0
    this.#windowsDue = true
    this.#retry()
    this.#wake()
  }

  #retry(): void {
    this.#waiting.push(...this.#retrying)
    this.#retrying = []
  }

  readonly #chargeLater: TryLater = (work, onDurable, late, error, call) => {
    this.#unwritten.add(work.charge)
    const decided = this.#decideLateEnd(late)
    if (decided !== 'wait') call.reject(error)
    const retry = (lateEnd: LateEnd) => this.#retryCharge({ ...work, lateEnd }, onDurable, late, call)
    if (!(decided instanceof Promise)) return retry(decided)
    const { promise, resolve } = Promise.withResolvers<LateEnd>()
    const charge = () => resolve('charge')
    this.#undecided.add(charge)
    decided.then(resolve, charge)
    void promise.then(lateEnd => {
      this.#undecided.delete(charge)
      retry(lateEnd)
    })
  }

  #decideLateEnd(late: LateCharge | null): LateEnd | Promise<LateEnd> {
    try {
      return late?.decideLateEnd() ?? 'charge'
    } catch (error) {
      this.#dependencies.reportFailure(error, 0)
      return 'charge'
    }
  }

  #retryCharge(
    work: ChargeWork & { readonly lateEnd: LateEnd },
    onDurable: WhenDurable,
    late: LateCharge | null,
    call: PromiseWithResolvers<void>,
  ): void {
    const { charge, lateEnd } = work
    const again: Waiting = {
      work,
      written: () => {
        this.#unwritten.delete(charge)
        try {
          onDurable(lateEnd === 'refund')
          late?.noteWritten(lateEnd)
        } catch (error) {
          this.#dependencies.reportFailure(error, 0)
        }
        // For a call that has already got its error this changes nothing.
        call.resolve()
      },
      refused: () => this.#retrying.push(again),
    }
    this.#retrying.push(again)
  }

  /** A row that may be on disk for a stream that ended uncharged would be charged at the next start. */
  #dropLater(stream: CallRef): void {
    const again: Waiting = {
      work: { kind: 'drop', stream },
      written: () => undefined,
      refused: () => this.#retrying.push(again),
    }
    this.#retrying.push(again)
  }

  #wake(): void {
    // A separate flag: `run` may end before it has waited for anything, and so before its promise is assigned.
    if (this.#isRunning) return
    this.#isRunning = true
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#progressDue || this.#windowsDue) {
      if (this.#isBusy) await this.#dependencies.nextTurn()
      const batch = this.#takeBatch()
      this.#isBusy = batch.length > 1
      const progress = this.#collectProgress()
      const windows = this.#collectWindows()
      if (batch.length + progress.length === 0 && windows === null) continue
      try {
        await this.#commit(batch, progress, windows)
      } catch (error) {
        await this.#commitApart(batch, progress, windows, error)
      }
    }
    this.#isRunning = false
  }

  #takeBatch(): readonly Waiting[] {
    const batch = [...this.#gathering.take(), ...this.#waiting]
    this.#waiting = batch.length > maximumBatch ? batch.splice(maximumBatch) : []
    return batch
  }

  #collectProgress(): StreamProgress[] {
    if (!this.#progressDue) return []
    this.#progressDue = false
    return this.#streams.collectProgress(error => this.#dependencies.reportFailure(error, 0))
  }

  #collectWindows(): WindowWrite | null {
    if (!this.#windowsDue && this.#windowsFailed) return null
    const scope = this.#windowsDue ? 'second' : 'commit'
    this.#windowsDue = false
    try {
      return this.#dependencies.gatherWindows(scope)
    } catch (error) {
      this.#dependencies.reportWindowFailure(error)
      return null
    }
  }

  async #commit(
    batch: readonly Waiting[],
    progress: readonly StreamProgress[],
    windows: WindowWrite | null,
  ): Promise<void> {
    const { commit, process, observeCommit, monotonicMs } = this.#dependencies
    const started = monotonicMs()
    await commit(buildBatch(process(), batch, progress, windows))
    const rows = batch.length + progress.length
    if (rows > 0) observeCommit(rows, (monotonicMs() - started) / 1000)
    for (const waiting of batch) waiting.written()
    if (windows === null) return
    windows.written()
    this.#windowsFailed = false
  }

  /** After a failure the two parts are tried separately: neither a bad charge nor bad windows stop the other. */
  async #commitApart(
    batch: readonly Waiting[],
    progress: readonly StreamProgress[],
    windows: WindowWrite | null,
    error: unknown,
  ): Promise<void> {
    if (windows === null) return this.#split(batch, error)
    if (batch.length + progress.length === 0) return this.#leaveWindows(windows, error)
    if (isStoreFailure(error)) {
      windows.failed()
      return this.#refuse(batch, error)
    }
    await this.#commit([], [], windows).catch(failure => this.#leaveWindows(windows, failure))
    await this.#commitSplitting(batch, progress)
  }

  async #commitSplitting(batch: readonly Waiting[], progress: readonly StreamProgress[]): Promise<void> {
    try {
      await this.#commit(batch, progress, null)
    } catch (error) {
      await this.#split(batch, error)
    }
  }

  /** A failing batch is halved until the faulty rows are isolated, so that one bad row does not affect others. */
  async #split(batch: readonly Waiting[], error: unknown): Promise<void> {
    // A full disk or a lost connection fails every half as well: splitting would only repeat the wait.
    if (batch.length <= 1 || isStoreFailure(error)) return this.#refuse(batch, error)
    const middle = batch.length >> 1
    await this.#commitSplitting(batch.slice(0, middle), [])
    await this.#commitSplitting(batch.slice(middle), [])
  }

  #refuse(batch: readonly Waiting[], error: unknown): void {
    this.#dependencies.reportFailure(error, batch.length)
    for (const waiting of batch) waiting.refused(error)
  }

  #leaveWindows(windows: WindowWrite, error: unknown): void {
    windows.failed()
    this.#windowsFailed = true
    this.#dependencies.reportWindowFailure(error)
  }
}

function isOfStream(work: Work): boolean {
  return work.kind === 'charge' ? work.charge.kind === 'stream' : true
}

function buildBatch(
  process: ProcessRef,
  batch: readonly Waiting[],
  progress: readonly StreamProgress[],
  windows: WindowWrite | null,
): LedgerBatch {
  const opened: OpenedStream[] = []
  const charges: Charge[] = []
  const dropped: CallRef[] = []
  const videoTasks: VideoTask[] = []
  const undelivered: UndeliveredAnswer[] = []
  for (const { work } of batch) {
    if (work.kind === 'charge') {
      const { charge, videoTask, lateEnd } = work
      charges.push(charge)
      // The first attempt may have been carried out: the refund then takes back what it wrote.
      if (lateEnd === 'refund') charges.push(buildRefund(charge, charge.settledAt))
      if (lateEnd === 'refund' || lateEnd === 'undelivered')
        undelivered.push({ teamId: charge.teamId, callId: charge.callId, at: charge.settledAt })
      if (videoTask !== null) videoTasks.push(videoTask)
    } else if (work.kind === 'open') opened.push(work.stream)
    else dropped.push(work.stream)
  }
  return {
    process,
    opened,
    progress,
    charges,
    dropped,
    videoTasks,
    undelivered,
    windows: windows === null ? null : windows.change,
  }
}
