// The calls that wait for one model: which is let through next, at what pace, and what is told to those that wait in vain.
import type { AdmissionRequest, Decision, Limits, RateLimit } from '../port.ts'
import { type LineReport, sumTeams } from './lines-elsewhere.ts'
import { RecentShares, recentMs, type ServiceRate } from './recent-shares.ts'

/** How long a call may wait, and when it need not wait any longer. */
export type Patience = {
  /** 0: refused at once where the call would have to wait. */
  readonly waitMs: number
  /** Asked only where the call waits. */
  readonly signal: () => AbortSignal
}

export type FairDependencies = {
  readonly admit: Limits['admit']
  /** Unix ms: windows tell in it when they have room. */
  readonly clock: () => number
  /** Resolves nothing: returns its own stop. */
  readonly after: (milliseconds: number, run: () => void) => () => void
}

type RenewingPatience = Patience & { readonly renew: () => AdmissionRequest }

type Waiting = {
  readonly request: AdmissionRequest
  readonly renew: () => AdmissionRequest
  readonly resolve: (decision: Decision) => void
  readonly reject: (error: unknown) => void
  readonly stop: () => void
  /** Unix ms. */
  readonly since: number
  readonly until: number
  readonly hasLeft: () => boolean
  /** The limits are being asked: what they say counts, even if the time is up meanwhile. */
  isDeciding: boolean
}

/** Beyond these a call is refused at once. */
const mostPerTeam = 200
const mostPerModel = 2000
/**
 * Of the window. Beyond it, and where several teams ask, places are given out at the pace of the window, so that a burst of one team leaves
 * some for the others.
 */
const freelyGiven = 0.5
/** Of the window. From here on processes tell each other what they have given. */
const worthTelling = freelyGiven / 2
/** A pump that comes late makes up for so much. */
const catchUpMs = 250
/** An upstream says of a moment that it is busy; what was learned from it is believed for so long. */
const learnedMs = 120_000
/** What was learned grows by so much with each call that goes through: it doubles with 23 of them. */
const growth = 1.03
/** Nothing slower is believed of an upstream (requests a minute): it may have been busy for a moment only. */
const leastLearned = 60
/** The first pause after an upstream was busy. It doubles while no call gets through, up to what the upstream asked for, and never beyond the longest. */
const firstPauseMs = 1000
const longestPauseMs = 10_000
/** A window that tells no time at which it has room is asked again. */
const askAgainMs = 50

export class FairLine {
  readonly #dependencies: FairDependencies
  readonly #shares = new RecentShares()
  /** The newest reports of other processes, by process. */
  #elsewhere: ReadonlyMap<string, LineReport> = new Map()
  #spentMs = 0
  /** By team, each in the order in which they came. */
  readonly #waiting = new Map<string, Waiting[]>()
  #count = 0
  /** Unix ms: no place is given out before. */
  #nextAt = 0
  /** Until then the window counts as short, since it has just refused. */
  #shortUntil = 0
  /** Requests a minute that the upstream seems to take, and until when that is believed. */
  #learned: { perMinute: number; readonly until: number } | null = null
  /** Since the upstream last served, and until when the last of them lasts (Unix ms). */
  #pauses = 0
  #pausedUntil = 0
  #rate: ServiceRate = { requests: null, tokens: null }
  #last: Refused | null = null
  #isPumping = false
  #stopTimer: (() => void) | null = null
  #timerAt = Number.POSITIVE_INFINITY

  constructor(dependencies: FairDependencies) {
    this.#dependencies = dependencies
  }

  get waiting(): number {
    return this.#count
  }

  isIdle(now: number): boolean {
    return this.#count === 0 && this.#shares.tidy(now) && this.#nextAt <= now && this.#learned === null
  }

  /** What other processes should know of this line; null while there is enough for all. */
  report(now: number): LineReport | null {
    const rate = this.#measure(now)
    const isScarce = this.#count > 0 || this.#shortUntil > now || this.#shares.used(rate, now) > worthTelling
    if (!isScarce) return null
    return { spentMs: this.#spentMs, teams: this.#shares.listTeams(now) }
  }

  /** The newest reports of other processes for the same model, by process. They replace those before. */
  hear(reports: ReadonlyMap<string, LineReport>): void {
    const now = this.#dependencies.clock()
    let spentMs = 0
    for (const [process, report] of reports) {
      const before = this.#elsewhere.get(process)?.spentMs ?? report.spentMs
      spentMs += Math.max(0, report.spentMs - before)
    }
    this.#elsewhere = reports
    this.#shares.hear(sumTeams([...reports.values()]), reports.size)
    // One pace for all: what others have given away is not given here.
    if (spentMs > 0) this.#nextAt = Math.max(this.#nextAt, now - catchUpMs) + spentMs
  }

  admit(
    request: AdmissionRequest,
    rate: RateLimit | null,
    patience: RenewingPatience,
  ): Decision | Promise<Decision> {
    const { clock, admit } = this.#dependencies
    const now = clock()
    this.#rate = rate ?? { requests: null, tokens: null }
    this.#shares.noteAsked(request.levels.teamId, now)
    if (this.#count > 0 || (this.#isShort(now) && this.#nextAt > now))
      return this.#wait(request, patience, now)
    const decision = admit(request)
    return decision instanceof Promise
      ? decision.then(decided => this.#take(request, decided, patience))
      : this.#take(request, decision, patience)
  }

  noteBusy(teamId: string, retryMs: number): void {
    const now = this.#dependencies.clock()
    this.#shares.noteAsked(teamId, now)
    // Of many calls that were under way together one refusal says as much as all.
    if (this.#shares.countRivals(now) < 2 || this.#pausedUntil > now) return
    this.#pauses += 1
    const perMinute = Math.max(leastLearned, this.#shares.countGiven(now))
    this.#learned = { perMinute, until: now + learnedMs }
    const pauseMs = Math.min(retryMs, firstPauseMs * 2 ** (this.#pauses - 1), longestPauseMs)
    this.#pausedUntil = now + pauseMs
    this.#nextAt = Math.max(this.#nextAt, this.#pausedUntil)
    this.#shortUntil = now + recentMs
  }

  /** A call got through: the next pause is a short one. */
  noteServed(): void {
    this.#pauses = 0
  }

  #take(
    request: AdmissionRequest,
    decision: Decision,
    patience: RenewingPatience,
  ): Decision | Promise<Decision> {
    const now = this.#dependencies.clock()
    if (decision.admitted) {
      this.#give(request, now)
      return decision
    }
    if (!isOfService(decision)) return decision
    this.#noteShort(decision, now)
    return patience.waitMs > 0 ? this.#wait(request, patience, now) : decision
  }

  #wait(request: AdmissionRequest, patience: RenewingPatience, now: number): Decision | Promise<Decision> {
    const { teamId } = request.levels
    const ahead = this.#waiting.get(teamId)?.length ?? 0
    if (patience.waitMs <= 0 || ahead >= mostPerTeam || this.#count >= mostPerModel)
      return this.#askAfterAll(request)
    const signal = patience.signal()
    if (signal.aborted) return this.#refuse(now)
    return new Promise((resolve, reject) => {
      const leave = () => {
        if (waiting.isDeciding) return
        this.#remove(waiting)
        try {
          resolve(
            signal.aborted ? this.#refuse(this.#dependencies.clock()) : this.#askAfterAll(patience.renew()),
          )
        } catch (error) {
          // The event may take no more calls, or the phase be over: this runs in a timer, where nobody else would catch it.
          reject(error)
        }
      }
      const stopTimer = this.#dependencies.after(patience.waitMs, leave)
      signal.addEventListener('abort', leave, { once: true })
      const waiting: Waiting = {
        request,
        renew: patience.renew,
        resolve,
        reject,
        stop: () => {
          stopTimer()
          signal.removeEventListener('abort', leave)
        },
        since: now,
        until: now + patience.waitMs,
        hasLeft: () => signal.aborted,
        isDeciding: false,
      }
      // It stays short for a minute: else half of the next window would go to whoever is first.
      this.#shortUntil = now + recentMs
      const line = this.#waiting.get(teamId)
      if (line === undefined) this.#waiting.set(teamId, [waiting])
      else line.push(waiting)
      this.#count += 1
      this.#pumpAt(Math.max(now, this.#nextAt))
    })
  }

  /** For a call that waits no longer. What is left of the window goes to teams with less than an equal part of it, and to nobody else. */
  #askAfterAll(request: AdmissionRequest): Decision | Promise<Decision> {
    const { clock, admit } = this.#dependencies
    const now = clock()
    const { teamId } = request.levels
    // It has asked until now: whoever is told to come back in 55 s is a rival until then.
    this.#shares.noteAsked(teamId, now)
    const isPaused = this.#pausedUntil > now
    if (
      isPaused ||
      this.#shares.shareOf(teamId, this.#measure(now), now) >= 1 / this.#shares.countRivals(now)
    )
      return this.#refuse(now)
    const note = (decision: Decision): Decision => {
      if (decision.admitted) this.#give(request, clock())
      else if (isOfService(decision)) this.#noteShort(decision, clock())
      return decision
    }
    const decision = admit(request)
    return decision instanceof Promise ? decision.then(note) : note(decision)
  }

  #remove(waiting: Waiting): void {
    waiting.stop()
    const { teamId } = waiting.request.levels
    const line = this.#waiting.get(teamId) ?? []
    const place = line.indexOf(waiting)
    if (place >= 0) {
      line.splice(place, 1)
      this.#count -= 1
    }
    if (line.length === 0) this.#waiting.delete(teamId)
  }

  /** One timer at a time, for the earliest moment. */
  #pumpAt(at: number): void {
    if (this.#isPumping || at >= this.#timerAt) return
    this.#stopTimer?.()
    this.#timerAt = at
    this.#stopTimer = this.#dependencies.after(Math.max(0, at - this.#dependencies.clock()), () => {
      this.#stopTimer = null
      this.#timerAt = Number.POSITIVE_INFINITY
      void this.#pump()
    })
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return
    this.#isPumping = true
    let again = Number.POSITIVE_INFINITY
    try {
      while (this.#count > 0) {
        const now = this.#dependencies.clock()
        again = this.#isShort(now) && this.#nextAt > now ? this.#nextAt : await this.#serveNext()
        if (again > this.#dependencies.clock()) break
      }
    } finally {
      this.#isPumping = false
    }
    if (this.#count > 0) this.#pumpAt(again)
  }

  /** Lets one call through, or says when there may be room (Unix ms). */
  async #serveNext(): Promise<number> {
    let roomAt = Number.POSITIVE_INFINITY
    for (const teamId of this.#listTeams()) {
      for (;;) {
        const first = this.#waiting.get(teamId)?.[0]
        if (first === undefined) break
        first.isDeciding = true
        const decision = await this.#decide(first)
        if (decision === null) continue
        const now = this.#dependencies.clock()
        if (decision.admitted || !isOfService(decision)) {
          // What its own limits refuse has had its turn and has taken nothing: the next call of the team is asked.
          this.#remove(first)
          if (decision.admitted) this.#give(first.request, now)
          first.resolve(decision)
          if (decision.admitted) return now
          continue
        }
        this.#noteShort(decision, now)
        first.isDeciding = false
        if (first.until <= now || first.hasLeft()) {
          this.#remove(first)
          first.resolve(decision)
        }
        const { code, resetAt } = decision.refusal
        const at = Math.max(resetAt ?? now + askAgainMs, now + 1)
        // A full window of requests has room for nobody, one of tokens perhaps for a smaller call of another team.
        if (code === 'rpm_exceeded') return at
        roomAt = Math.min(roomAt, at)
        break
      }
    }
    return Number.isFinite(roomAt) ? roomAt : this.#dependencies.clock()
  }

  /** Null where the limits could not be asked, or the event takes no more calls: the call has its error. */
  async #decide(waiting: Waiting): Promise<Decision | null> {
    try {
      return await this.#dependencies.admit(waiting.renew())
    } catch (error) {
      this.#remove(waiting)
      waiting.reject(error)
      return null
    }
  }

  /** The smallest share first; of equals whose call has waited longest. */
  #listTeams(): string[] {
    const now = this.#dependencies.clock()
    return [...this.#waiting]
      .map(([teamId, line]) => ({
        teamId,
        share: this.#shares.shareOf(teamId, this.#measure(now), now),
        since: line[0]?.since ?? now,
      }))
      .sort((left, right) => left.share - right.share || left.since - right.since)
      .map(({ teamId }) => teamId)
  }

  #give(request: AdmissionRequest, now: number): void {
    const tokens = request.tokens.input + request.tokens.output
    this.#shares.noteGiven(request.levels.teamId, tokens, now)
    if (this.#learned !== null) {
      if (this.#learned.until <= now) this.#learned = null
      else this.#learned.perMinute *= growth
    }
    if (!this.#isShort(now)) return
    const paceMs = this.#paceMs(tokens, now)
    this.#spentMs += paceMs
    this.#nextAt = Math.max(this.#nextAt, now - catchUpMs) + paceMs
  }

  /** What a call takes of the minute. */
  #paceMs(tokens: number, now: number): number {
    const rate = this.#measure(now)
    return Math.max(
      rate.requests === null ? 0 : recentMs / Math.max(rate.requests, 1),
      rate.tokens === null ? 0 : (recentMs * tokens) / Math.max(rate.tokens, 1),
    )
  }

  /** The narrower of the service's own window and what was learned of the upstream. */
  #measure(now: number): ServiceRate {
    const { requests, tokens } = this.#rate
    if (this.#learned === null || this.#learned.until <= now) return { requests, tokens }
    const { perMinute } = this.#learned
    return { requests: requests === null ? perMinute : Math.min(requests, perMinute), tokens }
  }

  #isShort(now: number): boolean {
    if (this.#shortUntil > now) return this.#learned !== null || this.#shares.countRivals(now) > 1
    return this.#shares.countRivals(now) > 1 && this.#shares.used(this.#measure(now), now) > freelyGiven
  }

  #noteShort(decision: Refused, now: number): void {
    this.#shortUntil = now + recentMs
    this.#last = decision
  }

  /** The refusal of a call that was not asked for: the window has room for it when its turn would come at the earliest. */
  #refuse(now: number): Decision {
    const { requests } = this.#measure(now)
    const known = this.#last?.refusal
    const resetAt = Math.max(known?.resetAt ?? 0, this.#nextAt, now + 1)
    const limit = Math.floor(requests ?? known?.limit ?? 0)
    return {
      admitted: false,
      refusal: {
        code: known?.code ?? 'rpm_exceeded',
        level: 'service_model',
        limit,
        used: known?.used ?? limit,
        held: known?.held ?? 0,
        resetAt,
        retryAfterSeconds: Math.max(1, Math.ceil((resetAt - now) / 1000)),
      },
      rates: this.#last?.rates ?? { requests: null, tokens: null },
    }
  }
}

type Refused = Extract<Decision, { admitted: false }>

function isOfService(decision: Decision): decision is Refused {
  return !decision.admitted && decision.refusal.level === 'service_model'
}
