// Shares out what the whole service may use of a model: where it is short, calls wait for a moment and the team with the smallest share is next.
import type { AdmissionRequest, Decision } from '../port.ts'
import { type FairDependencies, FairLine, type Patience } from './fair-line.ts'
import type { LineReport, LinesReport } from './lines-elsewhere.ts'
import { recentMs } from './recent-shares.ts'

const tidyMs = recentMs

/**
 * Teams ask for calls of a model whose window for the whole service, or whose quota at the upstream, does not suffice for all. Without a
 * line the one that asks most often gets the most. Here the calls of each team wait in the order in which they came, and whenever there is
 * room the team that was given the least within the last minute is next (max-min fairness). A team alone is never held back,
 * calls that fit go before one that does not, and a call that has waited in vain is let through where there is room and its team has less than an equal part. The limits decide each call as ever: no line lets more through than they do.
 *
 * Each process has lines of its own. Those that share the window tell each other what they have given, so that a team has no more of it for
 * calling several of them (`report`, `hear`).
 */
export class FairLines {
  readonly #dependencies: FairDependencies
  readonly #lines = new Map<string, FairLine>()
  #tidiedAt = 0

  constructor(dependencies: FairDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * As `Limits.admit`. A call whose time is up, or whose client has left, is refused by the limit that it waited for. `renew`: the request by
   * what holds when a call that has waited is asked for; it may throw where nothing is admitted any more.
   */
  admit(
    request: AdmissionRequest,
    patience: Patience,
    renew: () => AdmissionRequest = () => request,
  ): Decision | Promise<Decision> {
    const { modelId, rates } = request.levels
    const rate = rates.find(({ level }) => level === 'service_model') ?? null
    if (modelId === null) return this.#dependencies.admit(request)
    const known = this.#lines.get(modelId)
    if (known === undefined && rate === null) return this.#dependencies.admit(request)
    return (known ?? this.#open(modelId)).admit(request, rate, { ...patience, renew })
  }

  /**
   * The upstream has refused a call of the team because there were too many. `retryMs`: when it said to come again. This slows down the team, and
   * all teams only if the upstream refuses calls of most of them. A team alone gets the upstream's refusals as they are.
   */
  noteBusy(modelId: string, teamId: string, retryMs: number): void {
    this.#open(modelId).noteBusy(teamId, retryMs)
  }

  /** The upstream has answered a call of the team. */
  noteServed(modelId: string, teamId: string): void {
    this.#lines.get(modelId)?.noteServed(teamId)
  }

  /** What other processes should know; null while nothing is short. */
  report(): LinesReport | null {
    const now = this.#dependencies.clock()
    const reports: LinesReport = {}
    for (const [modelId, line] of this.#lines) {
      const report = line.report(now)
      if (report !== null) reports[modelId] = report
    }
    return Object.keys(reports).length > 0 ? reports : null
  }

  /** The newest reports of all other processes, by process. They replace those before. */
  hear(reports: ReadonlyMap<string, LinesReport>): void {
    for (const [modelId, line] of this.#lines) {
      const ofModel = new Map<string, LineReport>()
      for (const [process, { [modelId]: report }] of reports)
        if (report !== undefined) ofModel.set(process, report)
      line.hear(ofModel)
    }
  }

  /** Calls that wait, over all models. */
  countWaiting(): number {
    let count = 0
    for (const line of this.#lines.values()) count += line.waiting
    return count
  }

  #open(modelId: string): FairLine {
    const now = this.#dependencies.clock()
    if (now - this.#tidiedAt > tidyMs) {
      this.#tidiedAt = now
      for (const [known, line] of this.#lines) if (line.isIdle(now)) this.#lines.delete(known)
    }
    let line = this.#lines.get(modelId)
    if (line === undefined) {
      line = new FairLine(this.#dependencies)
      this.#lines.set(modelId, line)
    }
    return line
  }
}
