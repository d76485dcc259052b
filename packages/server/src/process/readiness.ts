// Whether the process takes requests, and why not: the doors and the health pages ask here.
import type { NotReadyReason } from '../http/health.ts'

export class Readiness {
  #phase: 'starting' | 'serving' | 'replaced' | 'draining' | 'stopped' = 'starting'
  #whyLedgerFails: () => NotReadyReason | null = () => null

  /** Null: requests are taken. */
  readonly whyNot = (): NotReadyReason | null => {
    if (this.#phase === 'serving') return this.#whyLedgerFails()
    return this.#phase === 'stopped' ? 'draining' : this.#phase
  }

  /** Each reply then ends its connection. */
  readonly isDraining = (): boolean => this.#phase !== 'starting' && this.#phase !== 'serving'

  /** Nothing is written any more: what waits to try again gives up. */
  readonly isStopped = (): boolean => this.#phase === 'stopped'

  /** `whyLedgerFails`: why no charge could be written now; null while charges can be. */
  serve(whyLedgerFails: () => NotReadyReason | null): void {
    this.#whyLedgerFails = whyLedgerFails
    this.#phase = 'serving'
  }

  /** `replaced`: draining, while another process takes requests at the same addresses. */
  enter(phase: 'replaced' | 'draining' | 'stopped'): void {
    this.#phase = phase
  }
}
