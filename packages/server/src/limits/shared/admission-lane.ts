// Sends admissions, and what ended calls return, to the database: one batch at a time. Whatever arrives meanwhile goes with the next batch.

import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { World } from '../../world/world.ts'
import { leaseMs } from '../hold-lease.ts'
import {
  AdmissionBatch,
  type BatchAnswer,
  type CallAnswer,
  type Demand,
  type Ending,
  isOfEvent,
  type TokenChange,
} from './admission-batch.ts'

export type RunQuery = (query: {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}) => Promise<unknown[][]>

export type LaneDependencies = Pick<World, 'every'> & {
  /** Runs on its own connection. */
  readonly run: RunQuery
  readonly lease: AdmissionLease
  /** Lists the calls that this process runs and those that ended recently, for a database that may have lost them in a crash. */
  readonly listRunning: () => Announcement
  /** Called when an announced call has been counted again, with the time (Unix ms of the database). */
  readonly noteCounted: (callId: string, now: number) => void
  /** Receives the time of the database (Unix ms) with each answer. */
  readonly noteTime: (now: number) => void
  /** Receives the last directory change that was committed when the query was answered, and when the query was sent (monotonic ms). */
  readonly noteDirectory: (version: number, askedAt: number) => void
  readonly monotonicMs: () => number
  readonly nextTurn: () => Promise<void>
  readonly after: (milliseconds: number, run: () => void) => void
  readonly reportFailure: (error: unknown) => void
  readonly observeBatch: (calls: number) => void
}

/** The lease of this process. The database checks it at each admission. */
export type AdmissionLease = {
  readonly process: () => { readonly processId: string; readonly slot: number }
  readonly isHeld: () => boolean
}

export type Announcement = { readonly running: readonly Demand[]; readonly ended: readonly Demand[] }

type RunningRow = [
  teamId: string,
  callId: string,
  keyHash: string,
  modelId: string | null,
  isOfEvent: boolean,
]

type WaitingCall = {
  readonly demand: Demand
  readonly resolve: (answer: CallAnswer) => void
  readonly reject: (error: unknown) => void
}

type WaitingEnding = {
  readonly ending: Ending
  readonly changes: readonly TokenChange[]
  readonly ended: () => void
}

/**
 * Max calls per batch. Locks are held for as long as a batch takes, so larger batches keep other processes waiting (60 teams, 4 processes:
 * p50 of 27 ms with 256).
 */
const maxCalls = 64
const maxTeams = 16
const maxEndings = 128
const maxChanges = 512
/** Delay for returned tokens: no call waits for them, so they go with the next call, or alone after this delay. */
const changesMs = 10
const retryMs = 200
const beatMs = 1000

export class AdmissionLane {
  readonly #dependencies: LaneDependencies
  readonly #stopBeat: () => void
  #calls: WaitingCall[] = []
  #endings: WaitingEnding[] = []
  #changes: TokenChange[] = []
  #isRunning = false
  #isBusy = false
  #isClosed = false
  #isDue = false
  #isPausing = false
  #hasTimer = false
  #hasSpoken = false
  #running: Promise<void> = Promise.resolve()
  #recovering: Promise<void> | null = null
  /** The epoch in which this process has announced its calls. */
  #epoch: string | null = null

  constructor(dependencies: LaneDependencies) {
    this.#dependencies = dependencies
    this.#stopBeat = dependencies.every(beatMs, () => this.#beat())
  }

  /** Rejects with ApiError `unavailable`. Whatever the call may have taken is then given back. */
  decide(demand: Demand): Promise<CallAnswer> {
    if (this.#isClosed || !this.#dependencies.lease.isHeld()) return Promise.reject(unavailable(1))
    return new Promise((resolve, reject) => {
      this.#calls.push({ demand, resolve, reject })
      this.#wake()
    })
  }

  /** Resolves when slot, money and tokens are free for all processes. Retries until it succeeds; repeats have no effect. */
  end(ending: Ending, changes: readonly TokenChange[]): Promise<void> {
    return new Promise(resolve => {
      this.#endings.push({ ending, changes, ended: resolve })
      this.#wake()
    })
  }

  change(changes: readonly TokenChange[]): void {
    this.#changes.push(...changes)
    this.#sendLater()
  }

  #sendLater(): void {
    if (this.#changes.length === 0 || this.#hasTimer) return
    this.#hasTimer = true
    this.#dependencies.after(changesMs, () => {
      this.#hasTimer = false
      this.#isDue = true
      this.#wake()
    })
  }

  /** Registers this process with the database. Nothing is admitted before that. */
  begin(): Promise<void> {
    return this.#recover()
  }

  /** Refuses the waiting calls and tries once more to write what has ended. */
  async close(): Promise<void> {
    this.#stopBeat()
    await this.#running
    this.#isDue = true
    this.#isPausing = false
    this.#wake()
    await this.#running
    this.#isClosed = true
    this.#refuse(this.#calls.splice(0), undefined)
  }

  /** Lets a process without calls notice that the database waits for it. */
  #beat(): void {
    if (!this.#hasSpoken && !this.#isRunning) {
      this.#isDue = true
      this.#wake()
    }
    this.#hasSpoken = false
  }

  #wake(): void {
    if (this.#isRunning || this.#isPausing || this.#isClosed) return
    this.#isRunning = true
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    while (!this.#isPausing && (this.#calls.length + this.#endings.length > 0 || this.#isDue)) {
      this.#isDue = false
      // Multiple callers wait at once: another turn of the event loop brings more of them into the same batch.
      if (this.#isBusy) await this.#dependencies.nextTurn()
      await this.#sendOne()
    }
    this.#isRunning = false
  }

  async #sendOne(): Promise<void> {
    const batch = new AdmissionBatch()
    const endings = this.#takeEndings(batch)
    const calls = this.#takeCalls(batch)
    const changes = this.#takeChanges(batch)
    this.#isBusy = calls.length > 1
    let answer: BatchAnswer
    try {
      answer = await this.#send(batch, false)
    } catch (error) {
      this.#dependencies.reportFailure(error)
      this.#endings.unshift(...endings)
      // Tokens that may already have been returned must not be returned twice. Used tokens may be counted twice rather than never.
      this.#changes.unshift(...changes.filter(({ tokens }) => tokens > 0))
      this.#refuse([...calls, ...this.#calls.splice(0)], error)
      this.#pause()
      return
    }
    if (answer.state !== 'decided') {
      this.#endings.unshift(...endings)
      this.#changes.unshift(...changes)
      this.#refuseUntaken([...calls, ...this.#calls.splice(0)])
      this.#pause()
      if (answer.state === 'recovering') void this.#recover()
      return
    }
    this.#dependencies.observeBatch(calls.length)
    for (const { ended } of endings) ended()
    for (const [index, { resolve }] of calls.entries()) {
      const reported = answer.calls[index]
      if (reported !== undefined) resolve(reported)
    }
  }

  async #send(batch: AdmissionBatch, announces: boolean): Promise<BatchAnswer> {
    const { run, lease, noteTime, noteDirectory, monotonicMs } = this.#dependencies
    this.#hasSpoken = true
    const askedAt = monotonicMs()
    const rows = await run({
      name: 'admit_2',
      text: 'select admit_2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      values: [lease.process().processId, announces, ...batch.buildParameters()],
    })
    const answer = batch.readAnswer(String(rows[0]?.[0]))
    if (answer.state === 'decided') {
      noteTime(answer.now)
      noteDirectory(answer.directoryVersion, askedAt)
    }
    return answer
  }

  #takeEndings(batch: AdmissionBatch): WaitingEnding[] {
    const taken: WaitingEnding[] = []
    this.#endings = this.#endings.filter(each => {
      const { teamId } = each.ending
      if (taken.length >= maxEndings || (!batch.hasTeam(teamId) && batch.teams >= maxTeams)) return true
      batch.addEnding(each.ending)
      taken.push(each)
      return false
    })
    for (const { changes } of taken) for (const change of changes) batch.addChange(change)
    return taken
  }

  #takeCalls(batch: AdmissionBatch): WaitingCall[] {
    const taken: WaitingCall[] = []
    this.#calls = this.#calls.filter(each => {
      const { levels } = each.demand
      if (taken.length >= maxCalls || (!batch.hasTeam(levels.teamId) && batch.teams >= maxTeams)) return true
      if (!batch.addCall(each.demand)) return true
      taken.push(each)
      return false
    })
    return taken
  }

  #takeChanges(batch: AdmissionBatch): TokenChange[] {
    const taken: TokenChange[] = []
    this.#changes = this.#changes.filter(each => {
      const { teamId } = each.level
      const isFull = teamId !== '' && !batch.hasTeam(teamId) && batch.teams >= maxTeams
      if (taken.length >= maxChanges || isFull) return true
      batch.addChange(each)
      taken.push(each)
      return false
    })
    this.#sendLater()
    return taken
  }

  /** The calls may have been admitted even though no answer came. Whatever they took is given back with the next batch. */
  #refuse(calls: readonly WaitingCall[], cause: unknown): void {
    for (const { demand, reject } of calls) {
      const { teamId, keyHash, modelId } = demand.levels
      this.#endings.push({
        ending: { callId: demand.callId, teamId, keyHash, modelId, isOfEvent: isOfEvent(demand) },
        changes: [],
        ended: () => undefined,
      })
      reject(unavailable(2, cause))
    }
  }

  #refuseUntaken(calls: readonly WaitingCall[]): void {
    for (const { reject } of calls) reject(unavailable(1))
  }

  #pause(): void {
    this.#isPausing = true
    this.#dependencies.after(retryMs, () => {
      this.#isPausing = false
      this.#wake()
    })
  }

  #recover(): Promise<void> {
    this.#recovering ??= this.#announce()
      .catch(error => this.#dependencies.reportFailure(error))
      .finally(() => {
        this.#recovering = null
      })
    return this.#recovering
  }

  /**
   * Sends the database the calls that this process runs, takes back those it no longer runs, and waits until calls are admitted again. If
   * interrupted, the next batch that sees the recovery starts it again.
   */
  async #announce(): Promise<void> {
    const { run, lease, listRunning, noteCounted } = this.#dependencies
    // A new lease on a database that has not crashed since has nothing to announce: the calls of the old lease have been swept.
    if (this.#epoch !== null && this.#epoch === (await this.#readEpoch())) return await this.#awaitAnnounced()
    const { running, ended } = listRunning()
    await this.#sendAnnounced([...running, ...ended], noteCounted)
    const { processId } = lease.process()
    const rows = await run({
      name: 'running_2',
      text: `select team_id, call_id, key_hash, model_id, event_nano > 0 from running_calls where process_id = $1 and kind <> 'order'`,
      values: [processId],
    })
    const known = new Set(running.map(({ callId }) => callId))
    for (const [teamId, callId, keyHash, modelId, isOfEvent] of rows as RunningRow[]) {
      if (!known.has(callId))
        this.#endings.push({
          ending: { teamId, callId, keyHash, modelId, isOfEvent },
          changes: [],
          ended: () => undefined,
        })
    }
    await this.#awaitAnnounced()
  }

  /** Waits until all processes have announced. */
  async #awaitAnnounced(): Promise<void> {
    const { run, lease, after } = this.#dependencies
    for (;;) {
      const answer = await run({
        name: 'announce_1',
        text: 'select announce_1($1, $2)',
        values: [lease.process().processId, leaseMs],
      })
      if (answer[0]?.[0] === true || this.#isClosed) break
      await new Promise<void>(resolve => after(retryMs, resolve))
    }
    this.#epoch = await this.#readEpoch()
  }

  /** Identifies the database crash since which admissions are known; null until that is settled. */
  async #readEpoch(): Promise<string | null> {
    const rows = await this.#dependencies.run({
      name: 'epoch_1',
      text: "select announced_at::text from limits_epoch where process_id = ''",
      values: [],
    })
    return rows[0] === undefined ? null : String(rows[0][0])
  }

  async #sendAnnounced(
    demands: readonly Demand[],
    noteCounted: LaneDependencies['noteCounted'],
  ): Promise<void> {
    let left = demands
    while (left.length > 0) {
      const batch = new AdmissionBatch()
      const later: Demand[] = []
      for (const demand of left) {
        const isFull =
          batch.calls.length >= maxCalls || (!batch.hasTeam(demand.levels.teamId) && batch.teams >= maxTeams)
        if (isFull || !batch.addCall(demand)) later.push(demand)
      }
      const answer = await this.#send(batch, true)
      if (answer.state !== 'decided') throw unavailable(1)
      for (const [index, { callId }] of batch.calls.entries())
        if (answer.calls[index]?.code === 'admitted') noteCounted(callId, answer.now)
      left = later
    }
  }
}
