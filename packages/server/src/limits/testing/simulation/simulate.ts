// Runs random histories, and lets fast-check reduce a failing one to the few steps that matter.
import fc from 'fast-check'
import type { CreateEngine } from '../engine.ts'
import { SimulatedService, type Tally } from './simulated-service.ts'
import { change, type Step, step } from './step.ts'

export type SimulationPlan = {
  readonly createEngine: CreateEngine
  readonly seed: number
  readonly histories: number
  /** Max steps of one history. */
  readonly steps: number
}

class PlayedStep implements fc.AsyncCommand<SimulatedService, null> {
  readonly #step: Step
  constructor(played: Step) {
    this.#step = played
  }
  check(simulated: Readonly<SimulatedService>): boolean {
    return simulated.canPlay(this.#step)
  }
  run(simulated: SimulatedService): Promise<void> {
    return simulated.play(this.#step)
  }
  toString(): string {
    return JSON.stringify(this.#step)
  }
}

const played = step.map(each => new PlayedStep(each))
/** Limits that apply from the start. */
const initially = fc.array(change, { minLength: 14, maxLength: 14 })

/** Throws what differed, with the seed and the shortest history found that shows it. */
export async function simulate({ createEngine, seed, histories, steps }: SimulationPlan): Promise<Tally> {
  const tally: Tally = { steps: 0, admitted: 0, waits: 0, over: 0, refused: new Map() }
  const history = fc.commands([played], { maxCommands: steps, size: 'max' })
  const property = fc.asyncProperty(initially, history, async (changes, commands) => {
    const simulated = await SimulatedService.begin(createEngine, changes, tally)
    await fc.asyncModelRun(() => ({ model: simulated, real: null }), commands)
    await simulated.finish()
  })
  // A run that only checks whether anything differs need not wait for the shortest history.
  const endOnFailure = process.env.SIMULATION_SHORTENS === 'no'
  const result = await fc.check(property, { seed, numRuns: histories, endOnFailure })
  if (result.failed)
    throw new Error(
      `SIMULATION_SEED=${seed} plays it again: ${result.errorInstance}\n${fc.defaultReportMessage(result)}`,
    )
  return tally
}

/** The same in every run, so that a change is judged by its own faults. */
const usualSeed = 20_261_121

/** `SIMULATION_SEED`: a number replays the seed that a run has printed, `random` looks for new faults. */
export function chooseSeed(): number {
  const { SIMULATION_SEED: asked = String(usualSeed) } = process.env
  return asked === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(asked)
}
