// Chooses which random requests the hostile suites send, and how many: the same in every run, so that a change is judged by its own faults.

const usual = 20_261_121

/** `HOSTILE_SEED`: a number repeats a run by its printed seed, `random` looks for new faults. */
export function readHostileSeed(): number {
  const { HOSTILE_SEED: asked = String(usual) } = process.env
  return asked === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(asked)
}

/** `HOSTILE_RUNS`: multiplies the number of requests. `npm test` sends a quarter, the campaign `full` four times as many. */
export function countHostileRuns(usualRuns: number): number {
  return Math.ceil(usualRuns * Number(process.env.HOSTILE_RUNS ?? 1))
}
