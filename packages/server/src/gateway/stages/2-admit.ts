// Stage 2: may this call run now? Finds the model, estimates from above, and takes hold, windows and slot in one step.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Catalog, CatalogModel } from '../../catalog/types.ts'
import { inputCeiling, inputEstimate } from '../../ledger/estimate-tokens.ts'
import type { AdmissionRequest, Decision, Hold, Limits, RateSnapshot } from '../../limits/port.ts'
import { measureInput } from '../endpoints/chat-completions/measure-input.ts'
import { findAllowedModel } from '../find-allowed-model.ts'
import { refuse } from '../refuse.ts'
import type { Caller } from './1-authenticate.ts'

/** A call that may run: its hold must be settled or released on every way out. */
export type Admitted = {
  readonly caller: Caller
  readonly callId: string
  readonly request: ChatRequest
  readonly model: CatalogModel
  /** Choices, each of which is one upstream call. */
  readonly count: number
  /** Most output tokens per choice, as sent upstream. */
  readonly outputCap: number
  /** Typical input tokens of one choice: the fallback when the upstream reports no usage. */
  readonly estimatedInput: number
  /** Tokens reserved in the window. */
  readonly reservedTokens: number
  readonly hold: Hold
  readonly rates: RateSnapshot
}

export type AdmitDependencies = {
  readonly catalog: Catalog
  readonly limits: Limits
  /** False while the ledger cannot be written: paid calls are refused then (fail closed). */
  readonly isLedgerHealthy: () => boolean
  readonly minimumUsefulOutput: number
  /** Exact input tokens of one choice, free of charge; null when the upstream cannot say. */
  readonly countInput: (
    request: ChatRequest,
    model: CatalogModel,
    outputCap: number,
    signal: AbortSignal,
  ) => Promise<number | null>
  readonly observeRefusal: (code: string, level: string) => void
}

type ChatInput = {
  readonly caller: Caller
  readonly callId: string
  readonly request: ChatRequest
  readonly signal: () => AbortSignal
}

/**
 * Throws ApiError `model_not_found`, `model_not_allowed`, `unavailable`, or the 429 of the limit that refused.
 * When the ceiling of the input does not fit the last of a budget, the upstream counts the input exactly and the call is
 * decided again: so a budget that pays for N calls admits N, and not one fewer.
 */
export function createAdmit(dependencies: AdmitDependencies): (input: ChatInput) => Promise<Admitted> {
  const { limits, catalog } = dependencies
  return async ({ caller, callId, request, signal }) => {
    const model = findAllowedModel(catalog, caller, request.model)
    if (!dependencies.isLedgerHealthy())
      throw new ApiError('unavailable', { headers: { 'retry-after': '2' } })
    const size = measureInput(request)
    const count = request.n ?? 1
    const explicit = request.max_completion_tokens ?? request.max_tokens ?? null
    const askedOutput = Math.min(explicit ?? model.defaultOutputCap, model.maxOutput)
    const ceiling = size.isMeasurable
      ? Math.min(inputCeiling(size.utf8Bytes, size.messages) + size.mediaTokens, model.contextLimit)
      : model.contextLimit
    const likely = inputEstimate(size.utf8Bytes, size.messages) + size.mediaTokens
    const estimatedInput = Math.min(likely, ceiling)
    const tokens = {
      input: estimatedInput * count,
      output: (explicit === null ? model.typicalOutput : askedOutput) * count,
    }
    const ask = (inputTokens: number): AdmissionRequest => ({
      callId,
      team: caller.team,
      key: caller.key,
      model,
      tokens,
      countsRequest: true,
      estimate: {
        kind: 'tokens',
        count,
        inputTokens,
        price: model.price,
        askedOutput,
        minimumOutput: Math.min(askedOutput, dependencies.minimumUsefulOutput),
        reducible: true,
      },
    })
    let decision: Decision = await limits.admit(ask(ceiling))
    // What cannot be measured cannot be counted either.
    if (
      !decision.admitted &&
      size.isMeasurable &&
      decision.refusal.code === 'budget_exceeded' &&
      decision.refusal.used < decision.refusal.limit
    ) {
      const exact = await dependencies.countInput(request, model, askedOutput, signal())
      if (exact !== null && exact < ceiling) decision = await limits.admit(ask(exact))
    }
    if (!decision.admitted) {
      dependencies.observeRefusal(decision.refusal.code, decision.refusal.level)
      throw refuse(decision.refusal, decision.rates)
    }
    const { hold, rates } = decision
    const outputCap = hold.outputCap ?? askedOutput
    return {
      caller,
      callId,
      request,
      model,
      count,
      outputCap,
      estimatedInput,
      reservedTokens: tokens.input + tokens.output,
      hold,
      rates,
    }
  }
}
