// Whether the process takes requests, and why not: the doors and the health pages ask here.
import type { NotReadyReason } from '../http/health.ts'

export class Readiness {
  #phase: 'starting' | 'serving' | 'draining' | 'stopped' = 'starting'
  readonly #whyLedgerFails: () => NotReadyReason | null

  /** `whyLedgerFails`: why no charge could be written now; null while charges can be. */
  constructor(whyLedgerFails: () => NotReadyReason | null) {
    this.#whyLedgerFails = whyLedgerFails
  }

  /** Null: requests are taken. */
  readonly whyNot = (): NotReadyReason | null => {
    if (this.#phase === 'serving') return this.#whyLedgerFails()
    return this.#phase === 'starting' ? 'starting' : 'draining'
  }

  readonly isReady = (): boolean => this.whyNot() === null

  readonly isDraining = (): boolean => this.#phase === 'draining' || this.#phase === 'stopped'

  /** Nothing is written any more: what waits to try again gives up. */
  readonly isStopped = (): boolean => this.#phase === 'stopped'

  enter(phase: 'serving' | 'draining' | 'stopped'): void {
    this.#phase = phase
  }
}
