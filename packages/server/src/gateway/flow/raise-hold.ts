// Raises the hold of a call whose kind has once used more than was held: before the dry run and the admission, which know nothing of it.
import { oneInMillionths, raiseEstimate } from '../../ledger/hold-ratio.ts'
import type { CallPlan, RaisedPlan, RefinedEstimate, Uncharged } from './admit.ts'

/** Returns the plan as it is while nothing is known of its kind, which is the usual case. */
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
