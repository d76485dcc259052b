// The queue of calls for one model: decides which call goes next, at what pace, and how calls that waited in vain are refused.

import type { World } from '../../world/world.ts'
import type { AdmissionRequest, Decision, Limits, RateLimit, Refusal } from '../port.ts'
import { LearnedPace } from './learned-pace.ts'
import { type LineReport, sumTeams } from './lines-elsewhere.ts'
import { RecentShares, recentMs, type ServiceRate } from './recent-shares.ts'

/** How long a call may wait, and the signal that ends its wait early. */
export type Patience = {
  /** 0: refuse at once if the call would have to wait. */
  readonly waitMs: number
  /** Called only if the call waits. */
  readonly signal: () => AbortSignal
}

export type FairDependencies = Pick<World, 'after'> & {
  readonly admit: Limits['admit']
  /** Unix ms, the clock in which windows say when they have room. */
  readonly clock: () => number
}

type RenewingPatience = Patience & { readonly renew: () => AdmissionRequest }

/** Slows down the calls of a team that was refused by the upstream. Calls of other teams overtake them. */
type OwnPace = {
  readonly learned: LearnedPace
  /** Unix ms; no call of the team is let through earlier. */
  nextAt: number
}

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
  /** The limits are being asked: their answer counts, even if the time runs out meanwhile. */
  isDeciding: boolean
}

/** Max waiting calls. Beyond this a call is refused at once. */
const maxPerTeam = 200
const maxPerModel = 2000
/**
 * Share of the window. Beyond it, if multiple teams ask, places are given out at the pace of the window, so that a burst of one team leaves
 * some for the others.
 */
const freelyGiven = 0.5
/** Share of the window from which processes report to each other what they have given. */
const worthReporting = freelyGiven / 2
/** Max time that a late pump makes up for. */
const catchUpMs = 250
/** A window that gives no time at which it has room is asked again after this. */
const askAgainMs = 50

export class FairLine {
  readonly #dependencies: FairDependencies
  readonly #shares: RecentShares
  /** The newest reports of other processes, by process. */
  #elsewhere: ReadonlyMap<string, LineReport> = new Map()
  #spentRequests = 0
  #spentTokens = 0
  /** By team, each in order of arrival. */
  readonly #waiting = new Map<string, Waiting[]>()
  #count = 0
  /** Unix ms; no place is given out earlier. */
  #nextAt = 0
  /** Until then the window counts as short, because it has just refused. */
  #shortUntil = 0
  /** The pace of all teams together; null while the upstream serves as fast as they call. */
  #learned: LearnedPace | null = null
  /** By team. */
  readonly #ownPaces = new Map<string, OwnPace>()
  #rate: ServiceRate = { requests: null, tokens: null }
  #last: Refused | null = null
  #isPumping = false
  #stopTimer: (() => void) | null = null
  #timerAt = Number.POSITIVE_INFINITY
  /** When to run again for calls that arrived while the pump was running. */
  #wantedAt = Number.POSITIVE_INFINITY

  constructor(dependencies: FairDependencies) {
    this.#dependencies = dependencies
    this.#shares = new RecentShares(dependencies.clock())
  }

  get waiting(): number {
    return this.#count
  }

  isIdle(now: number): boolean {
    return this.#count === 0 && this.#shares.tidy(now) && this.#nextAt <= now
  }

  /** The state of this queue for other processes; null while there is enough for all. */
  report(now: number): LineReport | null {
    const rate = this.#measure()
    const isScarce =
      this.#count > 0 ||
      this.#shortUntil > now ||
      this.#learned !== null ||
      this.#shares.hasRefused(now) ||
      this.#shares.used(rate, now) > worthReporting
    if (!isScarce) return null
    return { spent: [this.#spentRequests, this.#spentTokens], teams: this.#shares.listTeams(now) }
  }

  /** Replaces the reports of other processes for the same model with the newest ones, by process. */
  hear(reports: ReadonlyMap<string, LineReport>): void {
    const now = this.#dependencies.clock()
    let requests = 0
    let tokens = 0
    for (const [process, report] of reports) {
      const before = this.#elsewhere.get(process)
      if (before === undefined) continue
      requests += Math.max(0, report.spent[0] - before.spent[0])
      tokens += Math.max(0, report.spent[1] - before.spent[1])
      for (const [teamId, [, , , refused]] of Object.entries(report.teams))
        if (refused > (before.teams[teamId]?.[3] ?? 0)) this.#shares.hearRefused(teamId, now)
    }
    this.#elsewhere = reports
    this.#shares.hear(sumTeams([...reports.values()]), reports.size)
    // One pace for all: what other processes gave is not given here. It takes as much time as if given here, because the pace of another
    // process may be the low one of teams with calls that the upstream refuses.
    const paceMs = this.#paceMs(requests, tokens)
    if (paceMs > 0) this.#nextAt = Math.max(this.#nextAt, now - catchUpMs) + paceMs
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
    if (
      this.#ownNextAt(request.levels.teamId, now) > now ||
      (this.#isShort(now) && this.#nextAt > now) ||
      this.#hasOthersNext(now)
    )
      return this.#wait(request, patience, now)
    const decision = admit(request)
    return decision instanceof Promise
      ? decision.then(decided => this.#take(request, decided, patience))
      : this.#take(request, decision, patience)
  }

  /** The upstream has refused a call of the team. This slows down the team, and all teams only if most of them are refused. */
  noteBusy(teamId: string, retryMs: number): void {
    const now = this.#dependencies.clock()
    this.#shares.noteAsked(teamId, now)
    // One refusal among many concurrent calls says as much as all of them.
    if (this.#learned !== null && this.#learned.pausedUntil > now) return
    this.#shares.noteRefused(teamId, now)
    if (this.#shares.isRefusedInCommon(now)) this.#slowDownAll(retryMs, now)
    else this.#slowDownTeam(teamId, retryMs, now)
  }

  /** The upstream has served a call of the team. */
  noteServed(teamId: string): void {
    if (this.#learned === null && this.#ownPaces.size === 0) return
    const now = this.#dependencies.clock()
    if (this.#hasOthersNext(now)) this.#learned?.noteHeldBack()
    if (this.#learned?.noteServed(now) === false) this.#learned = null
    const own = this.#ownPaces.get(teamId)?.learned
    if (this.#waiting.has(teamId)) own?.noteHeldBack()
    if (own?.noteServed(now) === false) this.#ownPaces.delete(teamId)
  }

  #slowDownAll(retryMs: number, now: number): void {
    this.#learned ??= new LearnedPace()
    this.#learned.noteRefused(this.#shares.countGiven(now), retryMs, now)
    this.#nextAt = Math.max(this.#nextAt, this.#learned.pausedUntil)
    // The common pace explains the refusals so far. It falls again only if as many teams are refused again.
    this.#shares.forgetRefused()
    this.#ownPaces.clear()
    if (this.#count > 0) this.#pumpAt(this.#nextAt)
  }

  #slowDownTeam(teamId: string, retryMs: number, now: number): void {
    const own = this.#ownPaces.get(teamId) ?? { learned: new LearnedPace(), nextAt: 0 }
    this.#ownPaces.set(teamId, own)
    own.learned.noteRefused(this.#shares.countGivenTo(teamId, now), retryMs, now)
    own.nextAt = Math.max(own.nextAt, own.learned.pausedUntil)
  }

  /** When the team's own refusals allow its next call (Unix ms); 0 for now. A single team is not held back. */
  #ownNextAt(teamId: string, now: number): number {
    const own = this.#ownPaces.get(teamId)
    return own === undefined || own.nextAt <= now || this.#shares.countRivals(now) < 2 ? 0 : own.nextAt
  }

  /** A call that waits for its team's own pace does not block other teams. */
  #hasOthersNext(now: number): boolean {
    if (this.#count === 0) return false
    for (const teamId of this.#waiting.keys()) if (this.#ownNextAt(teamId, now) <= now) return true
    return false
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
    if (patience.waitMs <= 0 || ahead >= maxPerTeam || this.#count >= maxPerModel)
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
          // The event may accept no more calls, or the phase may be over. This runs in a timer, where nothing else would catch the error.
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
      const ownNextAt = this.#ownNextAt(teamId, now)
      if (ownNextAt > now) this.#ownPaces.get(teamId)?.learned.noteHeldBack()
      else {
        this.#learned?.noteHeldBack()
        // It stays short for a minute, or half of the next window would go to the first caller.
        this.#shortUntil = now + recentMs
      }
      const line = this.#waiting.get(teamId)
      if (line === undefined) this.#waiting.set(teamId, [waiting])
      else line.push(waiting)
      this.#count += 1
      this.#pumpAt(Math.max(now, this.#nextAt, ownNextAt))
    })
  }

  /** For a call that no longer waits. What is left of the window goes only to teams with less than an equal part of it. */
  #askAfterAll(request: AdmissionRequest): Decision | Promise<Decision> {
    const { clock, admit } = this.#dependencies
    const now = clock()
    const { teamId } = request.levels
    // It has asked until now: a team asked to come back in 55 s is a rival until then.
    this.#shares.noteAsked(teamId, now)
    const ownNextAt = this.#ownNextAt(teamId, now)
    if (ownNextAt > now) return this.#refuseTeam(teamId, ownNextAt, now)
    // A window knows how much of it is left. For the upstream's quota only the pace is known.
    const mustWait = this.#learned !== null && this.#nextAt > now
    const share = this.#shares.shareOf(teamId, this.#measure(), now)
    if (mustWait || share >= 1 / this.#shares.countRivals(now)) return this.#refuse(now)
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
    if (this.#isPumping) this.#wantedAt = Math.min(this.#wantedAt, at)
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
    this.#wantedAt = Number.POSITIVE_INFINITY
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
    if (this.#count > 0) this.#pumpAt(Math.min(again, this.#wantedAt))
  }

  /** Lets one call through, or returns when there may be room (Unix ms). */
  async #serveNext(): Promise<number> {
    let roomAt = Number.POSITIVE_INFINITY
    for (const teamId of this.#listTeams()) {
      const ownNextAt = this.#ownNextAt(teamId, this.#dependencies.clock())
      if (ownNextAt > 0) {
        roomAt = Math.min(roomAt, ownNextAt)
        continue
      }
      for (;;) {
        const first = this.#waiting.get(teamId)?.[0]
        if (first === undefined) break
        first.isDeciding = true
        const decision = await this.#decide(first)
        if (decision === null) continue
        const now = this.#dependencies.clock()
        if (decision.admitted || !isOfService(decision)) {
          // A call refused by its own limits has had its turn and has taken nothing: ask for the next call of the team.
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
        // A full request window has no room for any call; a full token window perhaps for a smaller call of another team.
        if (code === 'rpm_exceeded') return at
        roomAt = Math.min(roomAt, at)
        break
      }
    }
    return Number.isFinite(roomAt) ? roomAt : this.#dependencies.clock()
  }

  /** Null if the limits could not be asked or the event takes no more calls: the call then has its error. */
  async #decide(waiting: Waiting): Promise<Decision | null> {
    try {
      return await this.#dependencies.admit(waiting.renew())
    } catch (error) {
      this.#remove(waiting)
      waiting.reject(error)
      return null
    }
  }

  /** Smallest share first; among equals, the team with the call that has waited longest. */
  #listTeams(): string[] {
    const now = this.#dependencies.clock()
    return [...this.#waiting]
      .map(([teamId, line]) => ({
        teamId,
        share: this.#shares.shareOf(teamId, this.#measure(), now),
        since: line[0]?.since ?? now,
      }))
      .sort((left, right) => left.share - right.share || left.since - right.since)
      .map(({ teamId }) => teamId)
  }

  #give(request: AdmissionRequest, now: number): void {
    const tokens = request.tokens.input + request.tokens.output
    const { teamId } = request.levels
    this.#shares.noteGiven(teamId, tokens, now)
    const own = this.#ownPaces.get(teamId)
    if (own !== undefined)
      own.nextAt = Math.max(own.nextAt, now - catchUpMs) + recentMs / own.learned.perMinute
    if (!this.#isShort(now)) return
    this.#spentRequests += 1
    this.#spentTokens += tokens
    this.#nextAt = Math.max(this.#nextAt, now - catchUpMs) + this.#paceMs(1, tokens)
  }

  /** Time that calls take of the minute. */
  #paceMs(requests: number, tokens: number): number {
    const rate = this.#measure()
    return Math.max(
      rate.requests === null ? 0 : (recentMs * requests) / Math.max(rate.requests, 1),
      rate.tokens === null ? 0 : (recentMs * tokens) / Math.max(rate.tokens, 1),
    )
  }

  /** The lower of the service's own window and the learned pace of the upstream. */
  #measure(): ServiceRate {
    const { requests, tokens } = this.#rate
    if (this.#learned === null) return { requests, tokens }
    const { perMinute } = this.#learned
    return { requests: requests === null ? perMinute : Math.min(requests, perMinute), tokens }
  }

  #isShort(now: number): boolean {
    if (this.#shares.countRivals(now) < 2) return false
    return (
      this.#shortUntil > now ||
      this.#learned !== null ||
      this.#shares.used(this.#measure(), now) > freelyGiven
    )
  }

  #noteShort(decision: Refused, now: number): void {
    this.#shortUntil = now + recentMs
    this.#last = decision
  }

  /** Refuses a call without asking the limits: the window has room for it when its turn would come at the earliest. */
  #refuse(now: number): Decision {
    const { requests } = this.#measure()
    const known = this.#last?.refusal
    const resetAt = Math.max(known?.resetAt ?? 0, this.#nextAt, now + 1)
    const limit = Math.floor(requests ?? known?.limit ?? 0)
    return this.#buildRefusal(
      {
        code: known?.code ?? 'rpm_exceeded',
        level: 'service_model',
        limit,
        used: known?.used ?? limit,
        held: known?.held ?? 0,
        resetAt,
      },
      now,
    )
  }

  /** Refuses a call that the team's own pace holds back: other teams may call. */
  #refuseTeam(teamId: string, resetAt: number, now: number): Decision {
    const limit = Math.floor(this.#ownPaces.get(teamId)?.learned.perMinute ?? 0)
    const used = Math.min(limit, this.#shares.countGivenTo(teamId, now))
    return this.#buildRefusal(
      { code: 'rpm_exceeded', level: 'team_model', limit, used, held: 0, resetAt },
      now,
    )
  }

  #buildRefusal(
    refusal: Omit<Refusal, 'retryAfterSeconds'> & { readonly resetAt: number },
    now: number,
  ): Decision {
    const retryAfterSeconds = Math.max(1, Math.ceil((refusal.resetAt - now) / 1000))
    return {
      admitted: false,
      refusal: { ...refusal, retryAfterSeconds },
      rates: this.#last?.rates ?? { requests: null, tokens: null },
    }
  }
}

type Refused = Extract<Decision, { admitted: false }>

function isOfService(decision: Decision): decision is Refused {
  return !decision.admitted && decision.refusal.level === 'service_model'
}
