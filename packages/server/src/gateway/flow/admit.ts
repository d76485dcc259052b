// Admit: decides whether a call may run now. The event must accept calls. Then one step takes hold, windows and slot, or refuses
// with the 429 of the limit in the way.
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { CatalogModel } from '../../catalog/types.ts'
import { eventLimitsAt } from '../../directory/event/event-limits-at.ts'
import { inputCeiling, inputEstimate } from '../../ledger/estimate-tokens.ts'
import { type HoldBasis, type HoldMedium, oneInMillionths, raiseEstimate } from '../../ledger/hold-ratio.ts'
import { costOf, type Units } from '../../ledger/price.ts'
import { findLevels } from '../../limits/build-levels.ts'
import type { Patience } from '../../limits/fair/fair-line.ts'
import type { FairLines } from '../../limits/fair/fair-lines.ts'
import { LevelsOver } from '../../limits/levels.ts'
import type { AdmissionRequest, CallEstimate, Decision, Limits } from '../../limits/port.ts'
import type { Admitted } from './admitted.ts'
import type { Caller } from './authenticate.ts'
import { checkEvent, type EventDependencies } from './check-event.ts'
import { refuse } from './respond.ts'

/** A call's needs: its model, the maximum cost, and its share of the token windows. */
export type CallPlan = {
  readonly model: CatalogModel
  /** The kind of call, as the ledger names it. */
  readonly endpoint: string
  readonly tokens: { readonly input: number; readonly output: number }
  readonly estimate: CallEstimate
  /** The basis of the estimate; text if absent. */
  readonly medium?: HoldMedium
  /** A more exact estimate, for when this one does not fit the rest of a budget; null if there is none. */
  readonly refine?: (teamId: string) => Promise<RefinedEstimate | null>
  /** The newest texts of the request, for digests of them; absent if no one writes prompts. */
  readonly texts?: () => { readonly prompts: readonly string[]; readonly results: readonly string[] }
}

/** Plan for usage billed by the piece or by what was sent: the cost is known beforehand, and the token windows are not touched. */
export function planUnits(model: CatalogModel, endpoint: string, units: Units): CallPlan {
  const estimate = { kind: 'fixed', cost: costOf(model.price, units, 0) } as const
  return { model, endpoint, tokens: { input: 0, output: 0 }, estimate }
}

/** Plan for embeddings of so many bytes of text: the charge is what the upstream counts, the hold its ceiling. */
export function planTexts(model: CatalogModel, endpoint: string, bytes: number, texts: number): CallPlan {
  const inputText = inputCeiling(bytes, texts)
  const estimate = { kind: 'fixed', cost: costOf(model.price, { inputText }, inputText) } as const
  return { model, endpoint, tokens: { input: inputEstimate(bytes, texts), output: 0 }, estimate }
}

/** `inputTokens`: the input of one upstream call, counted by the upstream; null if it has not. It covers no fallbacks. */
export type RefinedEstimate = { readonly estimate: CallEstimate; readonly inputTokens: number | null }

/** A plan with a hold that may have been raised; `ratio` (in millionths) says by how much, absent if it was not. */
export type RaisedPlan = Omit<CallPlan, 'refine'> & {
  readonly ratio?: number
  readonly refine?: (teamId: string) => Promise<(RefinedEstimate & { readonly ratio?: number }) | null>
}

/** Records of kinds of calls that have used more than was held for them. */
export type Uncharged = {
  /** In millionths; one million while nothing is known. */
  readonly findRatio: (basis: HoldBasis) => number
  /** Resolves when an excess that is on disk counts in all processes, and after a second in any case. Never rejects. */
  readonly follow: () => Promise<void>
}

export type AdmitDependencies = EventDependencies &
  LedgerHealth & {
    readonly limits: Pick<Limits, 'admit' | 'preview'>
    /** The queue for calls to a model that the whole service has used up. Absent: they are refused at once. */
    readonly fairLines?: Pick<FairLines, 'admit'>
  }

/** One call that asks to run. */
export type Admission = {
  readonly caller: Caller
  readonly callId: string
  readonly plan: RaisedPlan
  /** Absent: the call does not wait. */
  readonly patience?: Patience | undefined
}

/**
 * Answers synchronously if the limits do and the ledger is healthy. Throws or rejects with ApiError `unavailable`, the 403 of the event,
 * or the 429 of the limit that refused. If the estimate does not fit the rest of a budget, the plan is asked for a better one and
 * decided again: a budget that pays for N calls admits N, and not one fewer.
 */
export function admit(dependencies: AdmitDependencies, admission: Admission): Admitted | Promise<Admitted> {
  if (!dependencies.isLedgerHealthy()) return admitAfterAll(dependencies, admission)
  const decision = ask(dependencies, admission)
  if (!(decision instanceof Promise) && decision.admitted)
    return buildAdmitted(admission, decision, notRefined)
  return decide(dependencies, admission, decision)
}

const impatient: Patience = { waitMs: 0, signal: () => AbortSignal.abort() }

/** If the clock that admits is ahead of ours, a phase may be over by that clock. The call is then decided in the next phase. */
function ask(
  dependencies: AdmitDependencies,
  admission: Admission,
  estimate = admission.plan.estimate,
  now = dependencies.clock(),
): Decision | Promise<Decision> {
  const { limits, fairLines } = dependencies
  const askAgain = (error: unknown): Decision | Promise<Decision> => {
    if (!(error instanceof LevelsOver)) throw error
    return ask(dependencies, admission, estimate, Math.max(dependencies.clock(), error.now))
  }
  const request = buildRequest(dependencies, admission, estimate, now)
  try {
    const renew = () => buildRequest(dependencies, admission, estimate)
    const decision =
      fairLines === undefined
        ? limits.admit(request)
        : fairLines.admit(request, admission.patience ?? impatient, renew)
    return decision instanceof Promise ? decision.catch(askAgain) : decision
  } catch (error) {
    return askAgain(error)
  }
}

async function admitAfterAll(dependencies: AdmitDependencies, admission: Admission): Promise<Admitted> {
  await requireLedger(dependencies)
  return await decide(dependencies, admission, ask(dependencies, admission))
}

async function decide(
  dependencies: AdmitDependencies,
  admission: Admission,
  first: Decision | Promise<Decision>,
): Promise<Admitted> {
  const { caller, plan } = admission
  let refinement = notRefined
  let decision = await first
  if (
    plan.refine !== undefined &&
    !decision.admitted &&
    decision.refusal.code === 'budget_exceeded' &&
    decision.refusal.used < decision.refusal.limit
  ) {
    const better = await plan.refine(caller.team.teamId)
    if (better !== null) {
      refinement = { countedInput: better.inputTokens, isRefined: true, ratio: better.ratio }
      decision = await ask(dependencies, admission, better.estimate)
    }
  }
  if (decision.admitted) return buildAdmitted(admission, decision, refinement)
  dependencies.observeRefusal(decision.refusal.code, decision.refusal.level)
  throw refuse(decision.refusal, decision.rates)
}

/**
 * Decides for the moment `now`. Asks the event first, each time, since its phase may have ended. Throws ApiError `contest_closed`,
 * `event_paused`, `model_not_allowed`.
 */
export function buildRequest(
  dependencies: EventDependencies,
  { caller: { team, key }, callId, plan: { model, tokens } }: Admission,
  estimate: CallEstimate,
  now = dependencies.clock(),
): AdmissionRequest {
  checkEvent(dependencies, model.id, now)
  const levels = findLevels(team, key, model, eventLimitsAt(dependencies.event(), now))
  return { callId, levels, tokens, countsRequest: true, estimate }
}

type Refinement = Pick<Admitted, 'countedInput' | 'isRefined'> & { readonly ratio: number | undefined }

const notRefined: Refinement = { countedInput: null, isRefined: false, ratio: undefined }

function buildAdmitted(
  { caller, plan }: Admission,
  { hold, rates }: Extract<Decision, { admitted: true }>,
  { countedInput, isRefined, ratio }: Refinement,
): Admitted {
  const { model, endpoint, tokens, medium = 'text', ratio: usualRatio } = plan
  const reservedTokens = tokens.input + tokens.output
  const { callId } = hold
  const basis = {
    medium: countedInput === null ? medium : ('counted' as const),
    ratio: (isRefined ? ratio : usualRatio) ?? oneInMillionths,
  }
  return { caller, callId, model, endpoint, reservedTokens, hold, countedInput, isRefined, basis, rates }
}

// Raises the hold of a call if calls of its kind once used more than was held. Runs before dry run and admission, which know nothing about it.

/** Returns the plan as is while nothing is known about its kind, which is the usual case. */
export function raiseHold(
  { findRatio }: Pick<Uncharged, 'findRatio'>,
  teamId: string,
  plan: CallPlan,
): RaisedPlan {
  const { model, endpoint, medium = 'text', refine } = plan
  const basis = { teamId, modelId: model.id, endpoint }
  const ratio = findRatio({ ...basis, medium })
  const counted = findRatio({ ...basis, medium: 'counted' })
  if (ratio <= oneInMillionths && counted <= oneInMillionths) return plan
  const raised = raiseEstimate(plan.estimate, ratio, model)
  const refineRaised = async (): Promise<(RefinedEstimate & { readonly ratio: number }) | null> => {
    const refined = (await refine?.(teamId)) ?? null
    if (refined === null) return null
    const by = refined.inputTokens === null ? ratio : counted
    return { ...refined, ...raiseEstimate(refined.estimate, by, model) }
  }
  return { ...plan, ...raised, ...(refine === undefined ? {} : { refine: refineRaised }) }
}

// Money fails closed: nothing is admitted, repeated or previewed while charges cannot be written.

export type LedgerHealth = {
  /** False while the ledger cannot be written: paid calls are refused then (fail closed). */
  readonly isLedgerHealthy: () => boolean
  /** While that is false: resolves, within about a second, with whether the outage is over. Absent if outages are never short. */
  readonly awaitLedgerHealth?: () => Promise<boolean>
}

/** A process that was busy for a moment checks the database first. Rejects with ApiError `unavailable` if that does not help. */
export async function requireLedger({ isLedgerHealthy, awaitLedgerHealth }: LedgerHealth): Promise<void> {
  if (!isLedgerHealthy() && (await awaitLedgerHealth?.()) !== true) throw unavailable(2)
}
