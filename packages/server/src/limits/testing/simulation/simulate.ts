// Runs many random histories and, when one fails, cuts it down to the few steps that matter.
import { createRandom } from '../../../ledger/testing/create-random.ts'
import { buildHistory } from './random-history.ts'
import { type CreateLimits, runHistory } from './run-history.ts'
import type { Step } from './step.ts'

export type SimulationTotals = {
  readonly histories: number
  readonly steps: number
  readonly admitted: number
  readonly waits: number
  /** Refusals by code and level. */
  readonly refused: ReadonlyMap<string, number>
  /** What differed, with the seed and the shortest history found that shows it; null when nothing did. */
  readonly failure: string | null
}

export type SimulationPlan = {
  readonly firstSeed: number
  readonly stepsPerHistory: number
  /** Asked before every history. */
  readonly isOver: (progress: { readonly histories: number; readonly steps: number }) => boolean
  readonly createLimits?: CreateLimits
}

export function simulate(plan: SimulationPlan): SimulationTotals {
  const refused = new Map<string, number>()
  let [histories, steps, admitted, waits] = [0, 0, 0, 0]
  let failure: string | null = null
  while (failure === null && !plan.isOver({ histories, steps })) {
    const seed = plan.firstSeed + histories
    const history = buildHistory(createRandom(seed), plan.stepsPerHistory)
    const result = runHistory(history, plan.createLimits)
    histories += 1
    steps += history.length
    admitted += result.admitted
    waits += result.waits
    for (const [name, count] of result.refused) refused.set(name, (refused.get(name) ?? 0) + count)
    if (result.failedAt !== null) failure = explain(seed, history, plan)
  }
  return { histories, steps, admitted, waits, refused, failure }
}

function explain(seed: number, history: readonly Step[], { stepsPerHistory, createLimits }: SimulationPlan) {
  const shortest = shrink(history, steps => runHistory(steps, createLimits).failedAt !== null)
  const { message } = runHistory(shortest, createLimits)
  const replay = `SIMULATION_SEED=${seed} SIMULATION_STEPS=${stepsPerHistory}`
  return [`${message}`, `replay with ${replay}`, ...shortest.map(step => JSON.stringify(step))].join('\n')
}

/** Leaves out ever smaller stretches as long as the history still fails. */
function shrink(history: readonly Step[], fails: (steps: readonly Step[]) => boolean): Step[] {
  let kept = [...history]
  for (let length = kept.length >> 1; length >= 1; length >>= 1) {
    for (let start = kept.length - length; start >= 0; start -= length) {
      const shorter = kept.toSpliced(start, length)
      if (fails(shorter)) kept = shorter
    }
  }
  return kept
}
