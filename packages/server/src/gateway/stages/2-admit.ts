// Stage 2: may this call run now? Takes hold, windows and slot in one step, or refuses with the 429 of the limit in the way.
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { CatalogModel } from '../../catalog/types.ts'
import type {
  AdmissionRequest,
  CallEstimate,
  Decision,
  Hold,
  Limits,
  RateSnapshot,
} from '../../limits/port.ts'
import { refuse } from '../refuse.ts'
import type { Caller } from './1-authenticate.ts'

/** What a call wants: its model, the worst it can cost, and what it takes of the token windows. */
export type CallPlan = {
  readonly model: CatalogModel
  /** What kind of call it is, as the ledger names it. */
  readonly endpoint: string
  readonly tokens: { readonly input: number; readonly output: number }
  readonly estimate: CallEstimate
  /** A more exact estimate, for when this one does not fit what is left of a budget; null when there is none. */
  readonly refine?: () => Promise<RefinedEstimate | null>
}

/** `inputTokens`: the input of one upstream call, as the upstream has counted it. */
export type RefinedEstimate = { readonly estimate: CallEstimate; readonly inputTokens: number }

/** A call that may run: its hold must be settled or released on every way out. */
export type Admitted = {
  readonly caller: Caller
  readonly callId: string
  readonly model: CatalogModel
  readonly endpoint: string
  /** Tokens reserved in the window. */
  readonly reservedTokens: number
  readonly hold: Hold
  /** Input tokens of one upstream call where the upstream's own count decided the admission, else null. */
  readonly countedInput: number | null
  readonly rates: RateSnapshot
}

export type AdmitDependencies = {
  readonly limits: Pick<Limits, 'admit'>
  /** False while the ledger cannot be written: paid calls are refused then (fail closed). */
  readonly isLedgerHealthy: () => boolean
  readonly observeRefusal: (code: string, level: string) => void
}

export type Admit = (caller: Caller, callId: string, plan: CallPlan) => Promise<Admitted>

/**
 * Throws ApiError `unavailable`, or the 429 of the limit that refused. When the estimate does not fit the last of a budget,
 * the plan is asked for a better one and decided again: so a budget that pays for N calls admits N, and not one fewer.
 */
export function createAdmit({ limits, isLedgerHealthy, observeRefusal }: AdmitDependencies): Admit {
  return async (caller, callId, plan) => {
    if (!isLedgerHealthy()) throw unavailable(2)
    const { model, endpoint, tokens } = plan
    const ask = (estimate: CallEstimate): AdmissionRequest => ({
      callId,
      team: caller.team,
      key: caller.key,
      model,
      tokens,
      countsRequest: true,
      estimate,
    })
    let countedInput: number | null = null
    let decision: Decision = await limits.admit(ask(plan.estimate))
    if (
      plan.refine !== undefined &&
      !decision.admitted &&
      decision.refusal.code === 'budget_exceeded' &&
      decision.refusal.used < decision.refusal.limit
    ) {
      const better = await plan.refine()
      if (better !== null) {
        countedInput = better.inputTokens
        decision = await limits.admit(ask(better.estimate))
      }
    }
    if (!decision.admitted) {
      observeRefusal(decision.refusal.code, decision.refusal.level)
      throw refuse(decision.refusal, decision.rates)
    }
    const { hold, rates } = decision
    const reservedTokens = tokens.input + tokens.output
    return { caller, callId, model, endpoint, reservedTokens, hold, countedInput, rates }
  }
}
