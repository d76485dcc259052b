// Keeps a number of processes on the same addresses: starts them, restarts those that die, replaces them one by one, ends them.
import { Counter, Gauge, type MetricFamily, renderFamilies } from '../http/metric-series.ts'
import { Member, type Ready } from './member.ts'
import { mergeFigures } from './merge-figures.ts'
import type { Begin, Ports } from './protocol.ts'
import type { StartProcess } from './start-process.ts'

export type Patience = {
  /** Max duration of a start, migrations included. */
  readonly startMs: number
  /** A process that has been ready for this long did not die because of its start. */
  readonly steadyMs: number
  /** Pause after the first early death; it doubles with each one after it. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** Max early deaths in a row before everything ends, unless another process is steady. */
  readonly maxDeaths: number
}

export const usualPatience: Patience = {
  startMs: 300_000,
  steadyMs: 10_000,
  firstPauseMs: 250,
  longestPauseMs: 30_000,
  maxDeaths: 6,
}

export type ProcessGroupDependencies = {
  readonly count: number
  readonly startProcess: StartProcess
  readonly begin: Pick<Begin, 'isTerminal' | 'sandboxUrl'>
  /** Prints one sentence for the person who started the server. */
  readonly report: (text: string) => void
  readonly patience: Patience
  /** Monotonic ms. */
  readonly now: () => number
}

export class ProcessGroup {
  /** Resolves when the last process has ended, with the worst exit code. */
  readonly ended: Promise<number>
  readonly #dependencies: ProcessGroupDependencies
  /** Processes that have not ended, by number. */
  readonly #members = new Map<number, Member>()
  readonly #whenStopping = Promise.withResolvers<void>()
  readonly #whenEnded = Promise.withResolvers<number>()
  readonly #restarts = new Counter(
    'fairgate_process_restarts_total',
    'Processes started to replace one that died.',
    [],
  )
  readonly #ready = new Gauge(
    'fairgate_processes',
    'Processes that take requests.',
    () => this.#readyMembers().length,
  )
  #phase: 'starting' | 'serving' | 'replacing' | 'stopping' = 'starting'
  #ports: Ports = {}
  #worstCode = 0
  #countsOfEnded: readonly MetricFamily[] = []

  constructor(dependencies: ProcessGroupDependencies) {
    this.#dependencies = dependencies
    this.ended = this.#whenEnded.promise
  }

  /**
   * The first process starts alone: it migrates the database, creates keys and the demo team, and finds out whether the addresses are free.
   * Resolves with its announcement when all are ready; null if the start has failed, and `ended` then gives the code.
   */
  async start(): Promise<string | null> {
    const first = this.#launch()
    const ready = await first.ready
    if (ready === null) return this.#failStart(first)
    if (this.#isStopping()) return null
    const others = Array.from({ length: this.#dependencies.count - 1 }, () => this.#launch())
    const lost = await Promise.all(others.map(async each => ((await each.ready) === null ? each : null)))
    const failed = lost.find(each => each !== null) ?? null
    if (failed !== null) return this.#failStart(failed)
    if (this.#isStopping()) return null
    this.#phase = 'serving'
    for (const member of this.#members.values()) this.#watch(member, 0)
    return ready.announcement
  }

  /** Replaces each process with a new one, with the current code and settings. Stops if one does not get ready. */
  async replaceAll(): Promise<void> {
    const { report } = this.#dependencies
    if (this.#phase !== 'serving')
      return report('Not replacing processes: they are already starting, being replaced or stopping.')
    this.#phase = 'replacing'
    for (const member of [...this.#members.values()]) {
      await member.ready
      if (this.#isStopping()) return
      // It has died meanwhile. Its replacement is new.
      if (!member.isReady) continue
      member.isReplaced = true
      const successor = this.#launch()
      if ((await successor.ready) === null) {
        if (this.#isStopping()) return
        const code = await successor.ended
        report(`The new process ended with ${code}. The others keep running.`)
        member.isReplaced = false
        if (!member.isReady) void this.#replaceLost(0)
        break
      }
      this.#watch(successor, 0)
      member.leave()
      const code = await member.ended
      if (code !== 0) report(`Process ${member.number}, which was replaced, ended with ${code}.`)
    }
    if (this.#isStopping()) return
    this.#phase = 'serving'
  }

  /** A second call ends the processes at once. */
  stop(signal: 'SIGTERM' | 'SIGINT'): void {
    const isUrgent = this.#isStopping()
    this.#phase = 'stopping'
    this.#whenStopping.resolve()
    for (const member of this.#members.values()) member.stop(signal, isUrgent)
    this.#endWhenEmpty()
  }

  reload(): void {
    for (const member of this.#members.values()) member.reload()
  }

  /** The figures of all processes as one scrape. */
  async scrape(): Promise<string> {
    const members = [...this.#members.values()]
    const processes = await Promise.all(
      members.map(async member => {
        const isCurrent = await member.readFigures()
        return { member, isCurrent }
      }),
    )
    const figures = processes
      // Processes that have ended meanwhile are counted among the ended.
      .filter(({ member }) => this.#members.get(member.number) === member)
      .map(({ member: { number, families }, isCurrent }) => ({ number, families, isCurrent }))
    const own = [this.#ready.read(), this.#restarts.read()]
    return renderFamilies([...mergeFigures(figures, this.#countsOfEnded), ...own])
  }

  #launch(): Member {
    const { startProcess, begin, report, patience, now } = this.#dependencies
    const member = new Member({
      startProcess,
      begin: {
        ...begin,
        number: this.#freeNumber(),
        isBesideOthers: this.#members.size > 0,
        ports: this.#ports,
      },
      startMs: patience.startMs,
      scrape: () => this.scrape(),
      report,
      now,
    })
    this.#members.set(member.number, member)
    void member.ready.then(ready => this.#noteReady(ready))
    void member.ended.then(code => this.#noteEnd(member, code))
    return member
  }

  #noteReady(ready: Ready | null): void {
    this.#ports = { ...this.#ports, ...ready?.ports }
  }

  #noteEnd(member: Member, code: number): void {
    this.#members.delete(member.number)
    this.#countsOfEnded = mergeFigures(
      [{ number: member.number, families: member.families, isCurrent: false }],
      this.#countsOfEnded,
    )
    // A signal ends a process that is still starting; that loses nothing.
    if (this.#isStopping() && member.readyMs() !== null) this.#worstCode = Math.max(this.#worstCode, code)
    this.#endWhenEmpty()
  }

  /** `deaths`: number of early deaths in a row before this process. */
  #watch(member: Member, deaths: number): void {
    void member.ended.then(code => {
      if (this.#isStopping() || member.isReplaced) return
      this.#dependencies.report(`Process ${member.number} ended with ${code}.`)
      void this.#replaceLost(
        (member.readyMs() ?? 0) < this.#dependencies.patience.steadyMs ? deaths + 1 : 0,
        code,
      )
    })
  }

  /** Starts a process to replace one that has died, repeatedly with growing pauses. */
  async #replaceLost(deathsBefore: number, lastCode = 0): Promise<void> {
    const { report, patience } = this.#dependencies
    let code = lastCode
    for (let deaths = deathsBefore; ; deaths += 1) {
      if (deaths >= patience.maxDeaths && !this.#hasSteady()) {
        report(`${deaths} processes in a row ended soon after starting, the last with ${code}. Giving up.`)
        return this.#giveUp(code)
      }
      const pauseMs =
        deaths === 0 ? 0 : Math.min(patience.firstPauseMs * 2 ** (deaths - 1), patience.longestPauseMs)
      if (pauseMs > 0) report(`Starting another process in ${pauseMs / 1000} s.`)
      await Promise.race([Bun.sleep(pauseMs), this.#whenStopping.promise])
      if (this.#isStopping()) return
      this.#restarts.add(1, '')
      const member = this.#launch()
      if ((await member.ready) !== null) return this.#watch(member, deaths)
      code = await member.ended
      if (this.#isStopping()) return
      report(`Process ${member.number} ended with ${code} before it was ready.`)
    }
  }

  /** The process itself has already reported what is wrong. */
  async #failStart(failed: Member): Promise<null> {
    const code = await failed.ended
    if (!this.#isStopping()) this.#giveUp(code)
    return null
  }

  #giveUp(code: number): void {
    this.#worstCode = Math.max(this.#worstCode, code, 1)
    this.stop('SIGINT')
  }

  #endWhenEmpty(): void {
    if (this.#isStopping() && this.#members.size === 0) this.#whenEnded.resolve(this.#worstCode)
  }

  #isStopping(): boolean {
    return this.#phase === 'stopping'
  }

  #readyMembers(): Member[] {
    return [...this.#members.values()].filter(member => member.isReady)
  }

  #hasSteady(): boolean {
    const { steadyMs } = this.#dependencies.patience
    return this.#readyMembers().some(member => (member.readyMs() ?? 0) >= steadyMs)
  }

  /** The lowest free number: numbers are metric labels, of which there should be few. */
  #freeNumber(): number {
    for (let number = 1; ; number += 1) if (!this.#members.has(number)) return number
  }
}
