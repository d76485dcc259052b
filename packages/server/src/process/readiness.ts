// Tracks whether the process accepts requests, and the reason when it does not. Read by the doors and the health pages.
import type { NotReadyReason } from '../http/health.ts'

export class Readiness {
  #phase: 'starting' | 'serving' | 'replaced' | 'draining' | 'stopped' = 'starting'
  #whyLedgerFails: () => NotReadyReason | null = () => null

  /** Null: requests are accepted. */
  readonly whyNot = (): NotReadyReason | null => {
    if (this.#phase === 'serving') return this.#whyLedgerFails()
    return this.#phase === 'stopped' ? 'draining' : this.#phase
  }

  /** True if each reply ends its connection. */
  readonly isDraining = (): boolean => this.#phase !== 'starting' && this.#phase !== 'serving'

  /** True once nothing is written any longer: waiting retries give up. */
  readonly isStopped = (): boolean => this.#phase === 'stopped'

  /** `whyLedgerFails`: the reason why no charge can be written now; null while charges can be. */
  serve(whyLedgerFails: () => NotReadyReason | null): void {
    this.#whyLedgerFails = whyLedgerFails
    this.#phase = 'serving'
  }

  /** `replaced`: draining, while another process accepts requests at the same addresses. */
  enter(phase: 'replaced' | 'draining' | 'stopped'): void {
    this.#phase = phase
  }
}
