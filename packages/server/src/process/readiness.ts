// Whether the process takes requests, and why not: the doors and the health pages ask here.
import type { NotReadyReason } from '../http/health.ts'

export class Readiness {
  #phase: 'starting' | 'serving' | 'replaced' | 'draining' | 'stopped' = 'starting'
  readonly #whyLedgerFails: () => NotReadyReason | null

  /** `whyLedgerFails`: why no charge could be written now; null while charges can be. */
  constructor(whyLedgerFails: () => NotReadyReason | null) {
    this.#whyLedgerFails = whyLedgerFails
  }

  /** Null: requests are taken. */
  readonly whyNot = (): NotReadyReason | null => {
    if (this.#phase === 'serving') return this.#whyLedgerFails()
    return this.#phase === 'stopped' ? 'draining' : this.#phase
  }

  readonly isReady = (): boolean => this.whyNot() === null

  /** Each reply then ends its connection. */
  readonly isDraining = (): boolean => this.#phase !== 'starting' && this.#phase !== 'serving'

  /** Nothing is written any more: what waits to try again gives up. */
  readonly isStopped = (): boolean => this.#phase === 'stopped'

  /** `replaced`: draining, while another process takes requests at the same addresses. */
  enter(phase: 'serving' | 'replaced' | 'draining' | 'stopped'): void {
    this.#phase = phase
  }
}
