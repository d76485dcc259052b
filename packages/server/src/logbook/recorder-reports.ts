// Keeps status reports of recorders: immediately in memory, and at most once a minute each on disk, where other processes read them.
import { readRecorderReport } from '@fairgate/contracts/logbook/recorder-report.ts'
import type { SeenRecorder } from '../store/statements/recorders.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import type { LogTokenCaller } from './authenticate-log-token.ts'

export type RecorderReportsDependencies = Pick<World, 'clock' | 'every'> &
  Pick<Store['write'], 'noteRecorders'> &
  Pick<Store['read'], 'listRecorders'> & { readonly reportFailure: (error: unknown) => void }

type Kept = { readonly seen: SeenRecorder; isWritten: boolean; writtenAt: number }

const writeEveryMs = 60_000
const lookEveryMs = 10_000
/** Beyond this, the one seen longest ago is only in the database. */
const maxKept = 10_000

export class RecorderReports {
  readonly #dependencies: RecorderReportsDependencies
  /** By token and clone, ordered by when they were last seen. */
  readonly #kept = new Map<string, Kept>()
  readonly #stopTimer: () => void
  #writing: Promise<void> = Promise.resolve()

  constructor(dependencies: RecorderReportsDependencies) {
    this.#dependencies = dependencies
    this.#stopTimer = dependencies.every(lookEveryMs, () => this.#writeDue(false))
  }

  /** `text`: the header. Null, and text that no recorder writes, is ignored. */
  note({ teamId, tokenId }: LogTokenCaller, text: string | null): void {
    const report = text === null ? null : readRecorderReport(text)
    if (report === null) return
    const { cloneId, version, unsent, oldestSeconds, rejected, gone, sentSeconds } = report
    const key = `${tokenId} ${cloneId}`
    const seenAt = this.#dependencies.clock()
    const oldestAt = oldestSeconds === null ? null : seenAt - oldestSeconds * 1000
    const clockBehindMs = sentSeconds === null ? null : seenAt - sentSeconds * 1000
    const reported = { version, unsent, oldestAt, rejected, gone, clockBehindMs, seenAt }
    const seen = { teamId, tokenId, cloneId, ...reported }
    const { writtenAt = Number.NEGATIVE_INFINITY } = this.#kept.get(key) ?? {}
    this.#kept.delete(key)
    this.#kept.set(key, { seen, isWritten: false, writtenAt })
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxKept) break
      this.#kept.delete(oldest)
    }
  }

  /** The newest report of each, from all processes. Rejects with StoreUnavailable. */
  async list(teamId: string): Promise<readonly SeenRecorder[]> {
    const found = new Map<string, SeenRecorder>()
    const own = [...this.#kept.values()].map(({ seen }) => seen).filter(seen => seen.teamId === teamId)
    for (const seen of [...(await this.#dependencies.listRecorders({ teamId })), ...own]) {
      const key = `${seen.tokenId} ${seen.cloneId}`
      const known = found.get(key)
      if (known === undefined || known.seenAt <= seen.seenAt) found.set(key, seen)
    }
    return [...found.values()]
  }

  /** Writes the remaining reports. */
  async stop(): Promise<void> {
    this.#stopTimer()
    this.#writeDue(true)
    await this.#writing
  }

  #writeDue(isLast: boolean): void {
    const now = this.#dependencies.clock()
    const due = [...this.#kept.values()].filter(
      ({ isWritten, writtenAt }) => !isWritten && (isLast || now - writtenAt >= writeEveryMs),
    )
    if (due.length === 0) return
    for (const kept of due) {
      kept.isWritten = true
      kept.writtenAt = now
    }
    this.#writing = this.#writing
      .then(() => this.#dependencies.noteRecorders({ recorders: due.map(({ seen }) => seen) }))
      .then(
        () => undefined,
        error => {
          // Retried with the next ones.
          for (const kept of due) kept.isWritten = false
          this.#dependencies.reportFailure(error)
        },
      )
  }
}
