// Queues calls that cost nothing for the record: refused, failed, or answered from memory. They are written in batches, never while
// a call waits, and a client that loops leaves a few rows a minute: equal calls in a row are one record with their number.
import type { CallRecord } from '../../ledger/call-record.ts'
import { isStoreFailure } from '../../store/store-unavailable.ts'
import type { World } from '../../world/world.ts'

export type UnchargedCallsDependencies = Pick<World, 'every' | 'clock'> & {
  readonly write: (calls: readonly CallRecord[]) => Promise<void>
  /** Called once per failed write; waiting calls are tried again. */
  readonly reportFailure: (error: unknown, waiting: number) => void
}

/** Equal calls after one that has been recorded: the first of them, and how many followed. */
type Run = {
  readonly key: string
  readonly openedAt: number
  next: CallRecord | null
  count: number
  lastAt: number
}

const writeEveryMs = 1000
/** A run is written after this time, so that a looping client shows up while it loops. */
const runMs = 60_000
/**
 * Runs per key before calls are grouped without their session, and then without their model. The code is always kept: "4,299
 * refused" for calls that got rpm_exceeded helps no one, and there are fewer than a hundred codes.
 */
const maxRunsPerKey = { withSession: 20, withModel: 30 }
const maxRuns = 5000
const maxWaiting = 10_000
const rowsPerWrite = 500

export class UnchargedCalls {
  readonly #dependencies: UnchargedCallsDependencies
  readonly #stopTimer: () => void
  readonly #runs = new Map<string, Run>()
  readonly #runsOfKey = new Map<string, number>()
  #waiting: CallRecord[] = []
  #writing: Promise<void> | null = null

  constructor(dependencies: UnchargedCallsDependencies) {
    this.#dependencies = dependencies
    this.#stopTimer = dependencies.every(writeEveryMs, () => this.#turn())
  }

  /** Never throws or waits. */
  add(call: CallRecord): void {
    const anySession = withoutSession(call)
    if (this.#addTo(nameRun(call), call, maxRunsPerKey.withSession)) return
    if (this.#addTo(`${nameRun(anySession)} any session`, anySession, maxRunsPerKey.withModel)) return
    const anyModel = { ...anySession, modelAsked: null }
    this.#addTo(`${call.keyHash} ${call.outcome} ${call.code} any model`, anyModel, null)
  }

  /** Writes all waiting calls, runs included, and stops. Returns false if they could not be written. */
  async close(): Promise<boolean> {
    this.#stopTimer()
    await this.#writing
    this.#closeRuns(Number.POSITIVE_INFINITY)
    await this.#write()
    return this.#waiting.length === 0
  }

  /** Number of calls and runs in memory. */
  size(): number {
    return this.#waiting.length + this.#runs.size
  }

  /** False if there is no such run and no room for another. `max`: the key's limit of runs; null if there is always room. */
  #addTo(name: string, call: CallRecord, max: number | null): boolean {
    const known = this.#runs.get(name)
    if (known !== undefined) join(known, call)
    else if (max !== null && !this.#hasRoom(call.keyHash, max)) return false
    else this.#open(name, call)
    return true
  }

  #hasRoom(keyHash: string, max: number): boolean {
    const ofKey = this.#runsOfKey.get(keyHash) ?? 0
    return ofKey < max && this.#runs.size < maxRuns && this.#waiting.length < maxWaiting
  }

  #open(key: string, call: CallRecord): void {
    this.#waiting.push(call)
    this.#runs.set(key, { key, openedAt: this.#dependencies.clock(), next: null, count: 0, lastAt: 0 })
    this.#runsOfKey.set(call.keyHash, (this.#runsOfKey.get(call.keyHash) ?? 0) + 1)
  }

  #turn(): void {
    this.#closeRuns(this.#dependencies.clock() - runMs)
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
    })
  }

  #closeRuns(openedBefore: number): void {
    for (const run of this.#runs.values()) {
      if (run.openedAt > openedBefore) continue
      this.#runs.delete(run.key)
      const keyHash = run.key.slice(0, run.key.indexOf(' '))
      const left = (this.#runsOfKey.get(keyHash) ?? 1) - 1
      if (left > 0) this.#runsOfKey.set(keyHash, left)
      else this.#runsOfKey.delete(keyHash)
      if (run.next !== null) this.#waiting.push({ ...run.next, count: run.count, lastAt: run.lastAt })
    }
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.slice(0, rowsPerWrite)
      try {
        await this.#dependencies.write(calls)
      } catch (error) {
        this.#dependencies.reportFailure(error, this.#waiting.length)
        // If the store is unavailable, it takes them all a second later.
        if (isStoreFailure(error)) return
        await this.#writeEach(calls)
      }
      this.#waiting = this.#waiting.slice(calls.length)
    }
  }

  /** A row that the store rejects must not hold back all others. It is left out; the failure was reported. */
  async #writeEach(calls: readonly CallRecord[]): Promise<void> {
    for (const call of calls) await this.#dependencies.write([call]).catch(() => undefined)
  }
}

function join(run: Run, call: CallRecord): void {
  run.next ??= call
  run.count += 1
  run.lastAt = call.receivedAt
}

function nameRun({ keyHash, endpoint, outcome, code, modelAsked, client }: CallRecord): string {
  return `${keyHash} ${JSON.stringify([endpoint, outcome, code, modelAsked, client.sessionId])}`
}

function withoutSession(call: CallRecord): CallRecord {
  return { ...call, client: { ...call.client, sessionId: null, sessionSource: null, parentSession: null } }
}
