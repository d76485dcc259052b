// Shares out the service-wide quota of a model: when it is short, calls wait briefly and the team with the smallest share goes next.
import type { AdmissionRequest, Decision } from '../port.ts'
import { type FairDependencies, FairLine, type Patience } from './fair-line.ts'
import type { LineReport, LinesReport } from './lines-elsewhere.ts'
import { recentMs } from './recent-shares.ts'

const tidyMs = recentMs

/**
 * Distributes calls of a model if its window for the whole service, or its quota at the upstream, is too small for all teams. Without a
 * queue the team that asks most often gets the most. Here the calls of each team wait in the order of arrival, and whenever there is room
 * the team that was given the least within the last minute is next (max-min fairness). A team alone is never held back, calls that fit go
 * before one that does not, and a call that waited in vain is let through if there is room and its team has less than an equal part. The
 * limits still decide each call: no queue lets more through than they do.
 *
 * Each process has its own queues. Processes that share the window report to each other what they have given, so that calling several of
 * them gains a team nothing (`report`, `hear`).
 */
export class FairLines {
  readonly #dependencies: FairDependencies
  readonly #lines = new Map<string, FairLine>()
  #tidiedAt = 0

  constructor(dependencies: FairDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Like `Limits.admit`. A call is refused by the limit it waited for when its time is up or its client has left. `renew`: rebuilds the
   * request with the limits that apply when a waiting call gets its turn; it may throw if nothing is admitted any longer.
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
   * The upstream has refused a call of the team because there were too many. `retryMs`: the wait it asked for. This slows down the team,
   * and all teams only if the upstream refuses calls of most of them. A team alone gets the upstream's refusals unchanged.
   */
  noteBusy(modelId: string, teamId: string, retryMs: number): void {
    this.#open(modelId).noteBusy(teamId, retryMs)
  }

  /** The upstream has answered a call of the team. */
  noteServed(modelId: string, teamId: string): void {
    this.#lines.get(modelId)?.noteServed(teamId)
  }

  /** State for other processes; null while nothing is short. */
  report(): LinesReport | null {
    const now = this.#dependencies.clock()
    const reports: LinesReport = {}
    for (const [modelId, line] of this.#lines) {
      const report = line.report(now)
      if (report !== null) reports[modelId] = report
    }
    return Object.keys(reports).length > 0 ? reports : null
  }

  /** Replaces the reports of all other processes with the newest ones, by process. */
  hear(reports: ReadonlyMap<string, LinesReport>): void {
    for (const [modelId, line] of this.#lines) {
      const ofModel = new Map<string, LineReport>()
      for (const [process, { [modelId]: report }] of reports)
        if (report !== undefined) ofModel.set(process, report)
      line.hear(ofModel)
    }
  }

  /** Number of waiting calls, over all models. */
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
