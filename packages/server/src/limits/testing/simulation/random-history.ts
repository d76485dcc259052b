// Makes up a history: mostly calls that come and go, at times a limit that changes, a clock that jumps, a process that dies.
import { pick, type Random } from '../../../ledger/testing/create-random.ts'
import type { Change, Step } from './step.ts'
import { keyCount, modelCount, teamCount } from './world.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const requestLimits = [null, null, null, null, 0, 1, 2, 3, 5, 8, 20]
const tokenLimits = [null, null, null, null, 0, 20, 100, 300, 600, 2000]
const budgets = [null, null, null, 0, 50, 300, 1000, 5000, 20_000]
const slots = [0, 1, 2, 3, 5, 1000, 1000, 1000]
const durations = [null, '1d', '1w', '1m', '1h', '7h', '3d', '30d']
const edges = [1, 999, second, minute - 1, minute, minute + 1, hour - 1, day]

/** Every limit that is set from the start, then `length` random steps. */
export function buildHistory(random: Random, length: number): Step[] {
  const start = Array.from({ length: 14 }, () => buildChange(random))
  const steps: Step[] = [...start]
  while (steps.length < start.length + length) {
    const step = buildStep(random)
    steps.push(step)
    // Tells what a refusal promised only when nothing has come between.
    if (step.kind === 'arrive' && random(6) === 0) steps.push(buildRetry(random))
  }
  return steps
}

function buildStep(random: Random): Step {
  const chance = random(1000)
  if (chance < 420) return buildArrival(random)
  if (chance < 600) return buildSettle(random)
  if (chance < 650) return { kind: 'release', pick: random(64) }
  if (chance < 670) return { kind: 'repeat', pick: random(64), isSettle: random(2) === 0 }
  if (chance < 860) return { kind: 'clock', by: buildClockStep(random) }
  if (chance < 930) return buildRetry(random)
  if (chance < 945) return { kind: 'write', scope: random(2) === 0 ? 'commit' : 'second' }
  if (chance < 968) return buildChange(random)
  if (chance < 988) {
    return { kind: 'look', key: random(keyCount), model: random(4) === 0 ? null : random(modelCount) }
  }
  return buildRestart(random)
}

/** Mostly at once: what the windows held is then still in them. */
function buildRestart(random: Random): Step {
  const isBack = random(6) === 0
  return {
    kind: 'restart',
    isClean: random(2) === 0,
    by: isBack ? -random(100 * second) : random(5 * second),
  }
}

function buildRetry(random: Random): Step {
  return { kind: 'retry', at: pick(['announced', 'reset', 'before'] as const, random) }
}

function buildArrival(random: Random): Step {
  const key = random(keyCount)
  const isInformation = random(12) === 0
  const output = random(3) === 0 ? 0 : 1 + random(60)
  return {
    kind: 'arrive',
    key,
    model: isInformation ? null : random(modelCount),
    choices: 1 + (random(4) === 0 ? random(3) : 0),
    input: random(40),
    output,
    fixedCost: random(4) === 0 ? random(120) : null,
    minimumOutput: Math.min(output, pick([0, 1, 8, 60], random)),
    isReducible: random(3) > 0,
    countsRequest: !isInformation && random(20) > 0,
  }
}

/** Less, the same and more than was held, in money and in tokens. */
function buildSettle(random: Random): Step {
  return {
    kind: 'settle',
    pick: random(64),
    percent: pick([0, 100, 100, 30, 75], random),
    extra: random(8) === 0 ? random(200) : 0,
    tokens: pick([0, random(40), random(100), random(400)], random),
  }
}

function buildClockStep(random: Random): number {
  const chance = random(100)
  if (chance < 55) return random(4 * second)
  if (chance < 75) return pick(edges, random)
  if (chance < 85) return random(minute)
  if (chance < 91) return -random(100 * second)
  if (chance < 92) return -random(2 * day)
  if (chance < 97) return random(2 * hour)
  return chance < 99 ? random(2 * day) : random(40 * day)
}

function buildChange(random: Random): Change {
  const kind = 'change'
  const chance = random(16)
  const [key, team, model] = [random(keyCount), random(teamCount), random(modelCount)]
  if (chance < 2) return { kind, key, field: 'maxBudget', value: pick(budgets, random) }
  if (chance < 4) return { kind, team, field: 'maxBudget', value: pick(budgets, random) }
  if (chance === 4) return { kind, key, field: 'modelMaxBudget', value: pick(budgets, random) }
  if (chance === 5) return { kind, key, field: 'maxParallelRequests', value: pick(slots, random) }
  if (chance === 6) return { kind, key, field: 'rpmLimit', value: pick(requestLimits, random) }
  if (chance === 7) return { kind, key, field: 'tpmLimit', value: pick(tokenLimits, random) }
  if (chance === 8) return { kind, team, field: 'rpmLimit', value: pick(requestLimits, random) }
  if (chance === 9) return { kind, team, field: 'tpmLimit', value: pick(tokenLimits, random) }
  if (chance === 10) return { kind, model, field: 'rpmLimit', value: pick(requestLimits, random) }
  if (chance === 11) return { kind, model, field: 'tpmLimit', value: pick(tokenLimits, random) }
  if (chance === 12) {
    const field = pick(['modelRpmLimit', 'modelTpmLimit'] as const, random)
    const value = pick(field === 'modelRpmLimit' ? requestLimits : tokenLimits, random)
    return random(2) === 0 ? { kind, key, field, value } : { kind, team, field, value }
  }
  const owner = pick(['key', 'team'] as const, random)
  return { kind, owner, index: owner === 'key' ? key : team, duration: pick(durations, random) }
}
