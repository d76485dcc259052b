// Teams ask for a scarce model for some minutes, and a slow bookkeeper computes afterwards what each should have been given: equal parts,
// as far as each of them asks, all of the window and nothing beyond it, nothing after the end of the phase, nothing beyond the cap of the
// event.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { type EventTimes, limitsOfEvent } from '../../../ledger/event-limits.ts'
import { nanoDollars } from '../../../ledger/money.ts'
import { FairLines } from '../../fair/fair-lines.ts'
import { LevelsOver } from '../../levels.ts'
import type { Decision } from '../../port.ts'
import { buildKey, buildModel, buildRequest, buildTeam } from '../build-parties.ts'
import type { CreateEngine, EngineProcess } from '../engine.ts'
import { Stage } from './stage.ts'

export type LinesPlan = {
  /** Calls a minute that the window has for each team, on average. */
  readonly perTeam: number
  /** Tokens of a call if the window counts tokens; null if it counts requests. */
  readonly tokens: number | null
  readonly teams: readonly {
    /** Number at each process. */
    readonly workers: number
    readonly callMs: number
    /** Waits as a refusal says; otherwise it retries at once. */
    readonly obeys: boolean
    /** The team's own requests a minute, which may be less than its part. */
    readonly ownRpm: number | null
    /** The process that all its calls reach; null: each process has workers of the team. */
    readonly pinnedTo: number | null
  }[]
  /** When the phase ends, in ms after the first three minutes; null: it does not end. */
  readonly endsAfter: number | null
  /** The amount that the event pays for, in percent of the window over all minutes. */
  readonly capPercent: number | null
}

const minute = 60_000
const beginAt = 1_000_000
const warmUp = minute
const measured = 2 * minute
const patienceMs = 5000
const modelId = 'model-1'

/** Each ordinary team has at least five calls at a time at each process, so that it asks for more than its part. */
export const linesPlan: fc.Arbitrary<LinesPlan> = fc.boolean().chain(hasOwnLimits =>
  fc.record({
    perTeam: fc.integer({ min: 10, max: 30 }),
    tokens: fc.constantFrom(null, null, 1000),
    teams: fc.array(
      fc.record({
        workers: fc.integer({ min: 5, max: 20 }),
        callMs: fc.integer({ min: 50, max: 900 }),
        obeys: fc.constantFrom(true, true, true, false),
        ownRpm: hasOwnLimits ? fc.constantFrom(null, null, null, 4, 8) : fc.constant(null),
        pinnedTo: fc.constantFrom(null, null, 0, 1, 2),
      }),
      { minLength: 3, maxLength: 11 },
    ),
    endsAfter: fc.constantFrom(null, 1, 777, 20_000),
    capPercent: fc.constantFrom(null, null, 40, 90),
  }),
)

const always = { callMs: 700, obeys: true, ownRpm: null, pinnedTo: null }
const withoutEnd = { tokens: null, endsAfter: null, capPercent: null }

/** Crowds that multiple sets of queues once served unevenly. */
export const hardPlans: readonly LinesPlan[] = [
  // The calls that have waited in vain are let through at both at the same moment.
  {
    ...withoutEnd,
    perTeam: 11,
    teams: [
      { ...always, workers: 14 },
      { ...always, workers: 7 },
      { ...always, workers: 16, obeys: false },
    ],
  },
  // One has the team that loops to itself, and all others call the other.
  {
    ...withoutEnd,
    perTeam: 20,
    teams: [
      { ...always, workers: 20, obeys: false },
      ...Array.from({ length: 6 }, () => ({ ...always, workers: 8, pinnedTo: 0 })),
    ],
  },
]

type Asked = { readonly team: number; readonly askedAt: number; readonly decidedAt: number }

export type LinesTally = { calls: number; refused: number; over: number }

/** How often queues report to each other what they have given. */
const reportMs = 250

/**
 * Throws if something differs from the bookkeeper's result. Each process has its own queues; `linesEach`: number of sets of queues before
 * the limits of one process, as if there were multiple processes.
 */
export async function playLines(
  plan: LinesPlan,
  createEngine: CreateEngine,
  tally: LinesTally,
  linesEach = 1,
): Promise<void> {
  const stage = new Stage(beginAt)
  const engine = await createEngine(stage)
  const processes = Array.from({ length: linesEach }, () => engine.processes).flat()
  const lines = processes.map(
    ({ limits }) =>
      new FairLines({
        admit: request => stage.track(limits.admit(request)),
        clock: () => stage.now,
        after: stage.after,
      }),
  )
  for (const line of lines) {
    const report = () => {
      const others = [...lines.entries()].filter(([, other]) => other !== line)
      line.hear(new Map(others.map(([index, other]) => [String(index), other.report() ?? {}])))
      stage.after(reportMs, report)
    }
    if (lines.length > 1) stage.after(reportMs, report)
  }
  const perMinute = plan.perTeam * plan.teams.length
  const endsAt = plan.endsAfter === null ? null : beginAt + warmUp + measured + plan.endsAfter
  const cap = plan.capPercent === null ? null : Math.floor((3 * perMinute * plan.capPercent) / 100)
  const event: EventTimes = {
    capNano: cap === null ? null : nanoDollars(cap),
    phases: [{ from: beginAt, until: endsAt, gateway: 'open', budgetNano: null, accounting: 'new' }],
  }
  const model = buildModel({
    id: modelId,
    rpmLimit: plan.tokens === null ? perMinute : null,
    tpmLimit: plan.tokens === null ? null : perMinute * plan.tokens,
  })
  const given: Asked[] = []
  const faults: string[] = []
  const note = (fault: string) => void faults.push(`${stage.now - beginAt} ms: ${fault}`)

  const work = async (team: number, index: number, { charge }: EngineProcess) => {
    const { callMs, obeys, ownRpm } = plan.teams[team] ?? { callMs: 0, obeys: true, ownRpm: null }
    const line = lines[index]
    const records = {
      team: buildTeam({ teamId: `t${team}`, rpmLimit: ownRpm }),
      key: buildKey({ teamId: `t${team}`, keyHash: `k${team}` }),
      model,
    }
    for (;;) {
      const askedAt = stage.now
      if (endsAt !== null && askedAt >= endsAt) return
      const request = buildRequest({
        ...records,
        callId: randomUUID(),
        tokens: { input: plan.tokens ?? 0, output: 0 },
        estimate: { kind: 'fixed', cost: nanoDollars(1) },
        event: limitsOfEvent(event, askedAt),
      })
      let decision: Decision | undefined
      try {
        decision = await line?.admit(request, {
          waitMs: patienceMs,
          signal: () => new AbortController().signal,
        })
      } catch (error) {
        if (!(error instanceof LevelsOver)) throw error
        tally.over += 1
        if (endsAt === null || stage.now < endsAt) note('told that the phase is over before it is')
        return
      }
      if (stage.now - askedAt > patienceMs) note(`t${team} waited for ${stage.now - askedAt} ms`)
      if (decision?.admitted === true) {
        tally.calls += 1
        if (endsAt !== null && stage.now >= endsAt) note('admitted after the end of the phase')
        given.push({ team, askedAt, decidedAt: stage.now })
        await stage.wait(callMs)
        const { hold } = decision
        await stage.track(charge(hold, { cost: hold.amount, tokens: plan.tokens ?? 0 }))
        continue
      }
      tally.refused += 1
      const refusal = decision?.refusal
      if (refusal?.code === 'budget_exceeded' || refusal?.code === 'budget_held') {
        // Other calls run, and what they hold may come back. Here it does not, because every call costs what was held.
        if (refusal.level !== 'event' || cap === null) note(`refused by the budget of ${refusal.level}`)
        else if (given.length < cap) note(`refused by the cap after ${given.length} of ${cap} calls`)
        return
      }
      await stage.wait(obeys ? (refusal?.retryAfterSeconds ?? 1) * 1000 : 200)
    }
  }
  for (const [team, { workers, pinnedTo }] of plan.teams.entries()) {
    for (const [index, process] of processes.entries()) {
      if (pinnedTo !== null && pinnedTo % processes.length !== index) continue
      for (let worker = 0; worker < workers; worker += 1)
        work(team, index, process).catch(error => note(String(error)))
    }
  }
  await stage.move(warmUp + measured + (plan.endsAfter ?? 0) + patienceMs)
  if (endsAt !== null && lines.some(line => line.countWaiting() > 0)) note('calls wait after the end')

  const times = given.map(({ decidedAt }) => decidedAt).sort((one, other) => one - other)
  for (let first = 0; first + perMinute < times.length; first += 1) {
    if ((times[first + perMinute] ?? 0) - (times[first] ?? 0) < minute)
      note(`more than ${perMinute} in 60 s from ${(times[first] ?? 0) - beginAt} ms on`)
  }
  if (cap !== null && given.length > cap) note(`${given.length} calls, paid for ${cap}`)
  if (cap === null) compareShares(plan, given, lines.length, note)
  if (faults.length > 0) throw new Error(faults.slice(0, 5).join('\n'))
}

/** Compares what each team was given in the minutes after the first with what it should have been given. */
function compareShares(
  plan: LinesPlan,
  given: readonly Asked[],
  lines: number,
  note: (fault: string) => void,
): void {
  const [from, until] = [beginAt + warmUp, beginAt + warmUp + measured]
  const minutes = measured / minute
  const demands = plan.teams.map(({ ownRpm }) => (ownRpm ?? Number.POSITIVE_INFINITY) * minutes)
  const capacity = plan.perTeam * plan.teams.length * minutes
  const shares = shareOut(capacity, demands)
  const counts = plan.teams.map(
    (_, team) =>
      given.filter(each => each.team === team && each.decidedAt >= from && each.decidedAt < until).length,
  )
  const all = counts.reduce((sum, count) => sum + count, 0)
  const due = shares.reduce((sum, share) => sum + share, 0)
  if (all < 0.95 * due) note(`${all} of ${due} that were asked for`)
  // A team with a small limit of its own comes in bursts a little more than a minute apart. With multiple queues it is left to chance how
  // many of them are counted.
  if (lines > 1 && plan.teams.some(({ ownRpm }) => ownRpm !== null)) return
  // Reports are up to a quarter of a second old, so three sets of queues are less even than two.
  const tolerance = lines > 2 ? 0.4 : 0.2
  for (const [team, count] of counts.entries()) {
    const share = shares[team] ?? 0
    if (count < (1 - tolerance) * share - 1 || count > (1 + tolerance) * share + 1)
      note(`t${team} was given ${count}, its part is ${share.toFixed(1)}: ${counts.join(', ')}`)
  }
}

/** Max-min: a team that asks for less than an equal part gets what it asks for, and the rest goes to the others. */
function shareOut(capacity: number, demands: readonly number[]): number[] {
  const shares = demands.map(() => 0)
  let left = capacity
  const poorestFirst = [...demands.entries()].sort(([, one], [, other]) => one - other)
  for (const [place, [team, demand]] of poorestFirst.entries()) {
    const share = Math.min(demand, left / (demands.length - place))
    shares[team] = share
    left -= share
  }
  return shares
}
