// Carries out the way of judgements to the server, for all teams of a judge: timers, requests, and what the browser keeps.
import type { JudgementReply } from '@fairgate/contracts/judging/scores.ts'
import { RequestFailure, type SendRequest } from '../../api/request.ts'
import { judgingPath } from '../judge-address.ts'
import { toContent, type Written } from './judgement.ts'
import type { KeptDrafts } from './kept-drafts.ts'
import {
  advance,
  type Behind,
  type Happening,
  isFrozen,
  isUnsaved,
  nextTask,
  openBehind,
  type Task,
  toKeep,
} from './write-behind.ts'

export type JudgementStoreDependencies = {
  readonly send: SendRequest
  readonly drafts: KeptDrafts
  /** Name of this page. */
  readonly device: string
  readonly after: (milliseconds: number, run: () => void) => () => void
  /** False if another judge has signed in with this browser meanwhile. */
  readonly isStillSignedIn: () => boolean
  /** Called after a change that lists and dossiers show. */
  readonly onChanged: (team: string) => void
}

/** Pause in typing after which a judgement is saved. */
const pauseMs = 600
const retryMs = 2_000
const maxRetryMs = 15_000
/** A connection that swallows requests counts as none after this time. */
const patienceMs = 15_000

type Entry = {
  behind: Behind
  /** False if the browser could not keep what is unsaved. */
  isKept: boolean
  retries: number
  cancelPause: (() => void) | null
  cancelRetry: (() => void) | null
}

export type Shown = {
  readonly behind: Behind
  readonly isKept: boolean
  /** The session has ended, so that nothing is sent. */
  readonly isPaused: boolean
}

type Heard = { readonly team: string; readonly revision: number; readonly device: string | null }

export class JudgementStore {
  readonly #given: JudgementStoreDependencies
  readonly #entries = new Map<string, Entry>()
  readonly #shown = new Map<string, Shown>()
  readonly #watchers = new Set<() => void>()
  #isPaused = false

  constructor(dependencies: JudgementStoreDependencies) {
    this.#given = dependencies
  }

  /** For `useSyncExternalStore`. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }
  readonly find = (team: string): Shown | undefined => this.#shown.get(team)

  /** Sends what earlier pages have kept, of any team. */
  resume(): void {
    for (const team of this.#given.drafts.teams()) this.open(team)
  }

  /** Reads the judgement, again if it is known. */
  open(team: string): void {
    if (this.#entries.has(team)) {
      this.#apply(team, { kind: 'noticed' })
      return
    }
    this.#entries.set(team, {
      behind: openBehind(this.#given.drafts.read(team)),
      isKept: true,
      retries: 0,
      cancelPause: null,
      cancelRetry: null,
    })
    this.#show(team)
    this.#run(team)
  }

  edit(team: string, change: (written: Written) => Written): void {
    const entry = this.#entries.get(team)
    if (entry === undefined || entry.behind.server === null) return
    const written = change(entry.behind.written)
    entry.cancelPause?.()
    entry.cancelPause = this.#given.after(pauseMs, () => {
      entry.cancelPause = null
      this.#run(team)
    })
    this.#apply(team, { kind: 'edited', written })
  }

  /** Saves now, without waiting for a pause. */
  flush(): void {
    for (const [team, entry] of this.#entries) {
      entry.cancelPause?.()
      entry.cancelPause = null
      this.#run(team)
    }
  }

  /** Saves what is left, then finishes; without a connection as soon as there is one. */
  finish(team: string): void {
    this.#apply(team, { kind: 'finishes' })
    this.flush()
  }

  settle(team: string, happening: Extract<Happening, { readonly kind: 'settled' | 'discarded' }>): void {
    this.#apply(team, happening)
  }

  /** Another device or judge may have changed it. */
  notice(team: string): void {
    if (this.#entries.has(team)) this.#apply(team, { kind: 'noticed' })
  }

  /** The stream reports the newest revision, also of saves of this page, whose replies may still be on their way. */
  hear({ team, revision, device }: Heard): void {
    const behind = this.#entries.get(team)?.behind
    if (behind === undefined || revision <= behind.revision) return
    if (behind.busy === null || device !== this.#given.device) this.#apply(team, { kind: 'noticed' })
  }

  /** The reply of a change that was made by itself, such as a reopening. */
  take(team: string, reply: JudgementReply): void {
    const isBusy = this.find(team)?.behind.busy !== null
    this.#apply(team, isBusy ? { kind: 'noticed' } : { kind: 'replied', reply, device: this.#given.device })
    this.#given.onChanged(team)
  }

  /** The connection is back, the judge has signed in again, or scores are open again. */
  wake(): void {
    for (const team of this.#entries.keys()) this.#apply(team, { kind: 'woke' })
  }

  /** While the session has ended, nothing is sent. */
  pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    this.#isPaused = isPaused
    if (!isPaused) this.wake()
    for (const team of this.#entries.keys()) this.#show(team)
  }

  /** Something would be lost if the page were closed now. */
  isAtRisk(): boolean {
    return [...this.#entries.values()].some(({ behind, isKept }) => !isKept && isUnsaved(behind))
  }

  #apply(team: string, happening: Happening): void {
    const entry = this.#entries.get(team)
    if (entry === undefined) return
    const { strays } = entry.behind
    entry.behind = advance(entry.behind, happening)
    // Before the first reply, the storage stays as the last page left it.
    if (entry.behind.server !== null) {
      entry.isKept = this.#given.drafts.write(team, toKeep(entry.behind))
      if (entry.isKept && strays.length > 0) this.#given.drafts.forgetOthers(team, strays)
    }
    this.#show(team)
    this.#run(team)
  }

  #show(team: string): void {
    const entry = this.#entries.get(team)
    if (entry !== undefined) {
      const { behind, isKept } = entry
      this.#shown.set(team, { behind, isKept, isPaused: this.#isPaused })
    }
    for (const watcher of this.#watchers) watcher()
  }

  #run(team: string): void {
    const entry = this.#entries.get(team)
    if (entry === undefined || this.#isPaused || !this.#given.isStillSignedIn()) return
    const task = nextTask(entry.behind)
    if (task === null || (task === 'save' && entry.cancelPause !== null)) return
    this.#apply(team, { kind: 'started', task })
    void this.#send(team, task, entry.behind).then(
      reply => {
        entry.retries = 0
        const wasFrozen = isFrozen(entry.behind)
        this.#apply(team, { kind: 'replied', reply, device: this.#given.device })
        if (task === 'finish' || isFrozen(entry.behind) !== wasFrozen) this.#given.onChanged(team)
      },
      (error: unknown) => this.#fail(team, entry, error),
    )
  }

  #send(team: string, task: Task, { written, revision }: Behind): Promise<JudgementReply> {
    const { send, device } = this.#given
    const path = judgingPath('scores', team)
    const signal = AbortSignal.timeout(patienceMs)
    if (task === 'read') return send('GET', path, { signal })
    if (task === 'finish') return send('POST', `${path}/done`, { body: { revision, device }, signal })
    return send('PUT', path, { body: { ...toContent(written), revision, device }, signal })
  }

  #fail(team: string, entry: Entry, error: unknown): void {
    const { status, message } =
      error instanceof RequestFailure ? error : { status: 0, message: 'The reply could not be read.' }
    this.#apply(team, { kind: 'failed', status, message })
    if (entry.behind.trouble?.kind !== 'offline') return
    const wait = Math.min(maxRetryMs, retryMs * 2 ** entry.retries)
    entry.retries += 1
    entry.cancelRetry?.()
    entry.cancelRetry = this.#given.after(wait, () => this.#apply(team, { kind: 'woke' }))
  }
}
