// The parent's view of one of its processes: its messages, the requests to it, and its deadlines.
import type { MetricFamily } from '../http/metric-series.ts'
import { type Begin, type FromProcess, protocolVersion, readFromProcess } from './protocol.ts'
import type { RunningProcess, StartProcess } from './start-process.ts'

export type Ready = Extract<FromProcess, { type: 'ready' }>

export type MemberDependencies = {
  readonly startProcess: StartProcess
  readonly begin: Omit<Begin, 'type'>
  /** Max duration of the start. */
  readonly startMs: number
  /** Called when a client scrapes this process; resolves with the text for it. */
  readonly scrape: () => Promise<string>
  /** Prints one sentence for the person who started the server. */
  readonly report: (text: string) => void
  /** Monotonic ms. */
  readonly now: () => number
}

/** Max time for a process to send its figures. */
const figuresMs = 1000
/** A process that must end at once needs a moment for the last writes. */
const endingMs = 5000

export class Member {
  readonly number: number
  /** Null: it has ended without ever being ready. */
  readonly ready: Promise<Ready | null>
  /** Its exit code. */
  readonly ended: Promise<number>
  /** True if another process replaces it, so that its end needs no replacement. */
  isReplaced = false
  /** The figures of its last answer. */
  families: readonly MetricFamily[] = []
  #readySince: number | null = null
  #hasEnded = false
  #longestStopMs = endingMs
  #questions = 0
  readonly #process: RunningProcess
  readonly #dependencies: MemberDependencies
  readonly #whenReady = Promise.withResolvers<Ready | null>()
  readonly #waiting = new Map<number, () => void>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(dependencies: MemberDependencies) {
    this.#dependencies = dependencies
    this.number = dependencies.begin.number
    this.ready = this.#whenReady.promise
    this.#process = dependencies.startProcess(message => this.#receive(message))
    this.ended = this.#process.ended.then(code => {
      this.#hasEnded = true
      for (const timer of this.#timers) clearTimeout(timer)
      for (const answer of this.#waiting.values()) answer()
      this.#whenReady.resolve(null)
      return code
    })
    this.#killAfter(dependencies.startMs, () => this.#readySince === null, 'was not ready')
  }

  get isReady(): boolean {
    return this.#readySince !== null && !this.#hasEnded
  }

  /** Milliseconds since it was ready; null if it never was. */
  readyMs(): number | null {
    return this.#readySince === null ? null : this.#dependencies.now() - this.#readySince
  }

  /** Ends it without losing a request, now that another process is there. */
  leave(): void {
    this.isReplaced = true
    this.#process.send({ type: 'leave' })
    this.#killAfter(this.#longestStopMs, () => true, 'had not ended')
  }

  /** `isUrgent`: the second request to stop, so it ends without waiting. */
  stop(signal: 'SIGTERM' | 'SIGINT', isUrgent: boolean): void {
    this.#process.kill(signal)
    this.#killAfter(isUrgent ? endingMs : this.#longestStopMs, () => true, 'had not ended')
  }

  reload(): void {
    if (this.isReady) this.#process.kill('SIGHUP')
  }

  /** Resolves with true if `families` are current. */
  async readFigures(): Promise<boolean> {
    if (!this.isReady) return false
    this.#questions += 1
    const question = this.#questions
    const reported = Promise.withResolvers<void>()
    this.#waiting.set(question, reported.resolve)
    this.#process.send({ type: 'read-figures', question })
    await Promise.race([reported.promise, Bun.sleep(figuresMs)])
    return !this.#waiting.delete(question) && !this.#hasEnded
  }

  #receive(given: unknown): void {
    const message = readFromProcess(given)
    if (message?.type === 'hello') this.#begin(message.protocol)
    else if (message?.type === 'ready') this.#noteReady(message)
    else if (message?.type === 'figures') {
      this.families = message.families
      const { question } = message
      if (question === null) return
      this.#waiting.get(question)?.()
      this.#waiting.delete(question)
    } else if (message?.type === 'scrape') {
      const { question } = message
      void this.#dependencies.scrape().then(text => this.#process.send({ type: 'scraped', question, text }))
    }
  }

  #begin(protocol: number): void {
    if (protocol === protocolVersion) {
      this.#process.send({ type: 'begin', ...this.#dependencies.begin })
      return
    }
    this.#dependencies.report(
      'The program on disk no longer works with the running launcher. Stop all processes and start again.',
    )
    this.#process.kill('SIGKILL')
  }

  #noteReady(message: Ready): void {
    this.#readySince = this.#dependencies.now()
    this.#longestStopMs = message.longestStopMs
    this.#whenReady.resolve(message)
  }

  #killAfter(milliseconds: number, isStillDue: () => boolean, what: string): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      if (this.#hasEnded || !isStillDue()) return
      const seconds = Math.round(milliseconds / 100) / 10
      this.#dependencies.report(`Process ${this.number} ${what} after ${seconds} s and is killed.`)
      this.#process.kill('SIGKILL')
    }, milliseconds)
    this.#timers.add(timer)
  }
}
