// Teams call a model while its upstream refuses calls: those of liars, who make it refuse, and those beyond its quota. Records how each call
// ended.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { FairLines } from '../../fair/fair-lines.ts'
import { createMemoryLimits } from '../../memory/create-memory-limits.ts'
import { buildKey, buildModel, buildRequest, buildTeam } from '../build-parties.ts'
import { Stage } from './stage.ts'

export type Caller = {
  /** Number at each process that it calls. */
  readonly workers: number
  readonly callMs: number
  /** Waits as a refusal says; otherwise it retries soon. */
  readonly obeys: boolean
  /** The process that all its calls reach; null: each process. */
  readonly pinnedTo: number | null
  /** Share of its calls that the upstream always refuses; 0 for an honest team. */
  readonly liesPercent: number
}

export type RefusalsPlan = {
  readonly teams: readonly Caller[]
  /** Calls a second that the upstream serves; null: all. */
  readonly perSecond: number | null
  /** The wait that the upstream asks of a refused call. */
  readonly retryMs: number
  readonly processes: number
  /** Requests a minute of the whole service, far more than needed; null: no window. */
  readonly rpm: number | null
  readonly seed: number
}

export type Met = {
  readonly team: number
  readonly at: number
  /** How the call ended: served, refused by the upstream, or refused by a queue. */
  readonly end: 'served' | 'refused' | 'held'
  readonly waitedMs: number
}

export const beginAt = 1_000_000
const patienceMs = 5000
const refusedAfterMs = 20
/** All others are calling by then, so liars are not the majority of the callers. */
const liarsAfterMs = 5000
const reportMs = 250
const modelId = 'model-1'

const caller = {
  callMs: fc.integer({ min: 50, max: 3000 }),
  obeys: fc.boolean(),
}

/** Liars are at most half of the teams that call each process, and the upstream has enough for all. */
export const liarsPlan: fc.Arbitrary<RefusalsPlan> = fc.integer({ min: 1, max: 4 }).chain(liars =>
  fc
    .record({
      honest: fc.array(
        fc.record({
          ...caller,
          workers: fc.integer({ min: 1, max: 6 }),
          pinnedTo: fc.constant(null),
          liesPercent: fc.constant(0),
        }),
        { minLength: liars, maxLength: 9 },
      ),
      liars: fc.array(
        fc.record({
          ...caller,
          workers: fc.integer({ min: 1, max: 20 }),
          pinnedTo: fc.constantFrom(null, null, 0, 1),
          liesPercent: fc.constantFrom(10, 50, 90, 100, 100),
        }),
        { minLength: liars, maxLength: liars },
      ),
      retryMs: fc.constantFrom(1000, 3000, 60_000),
      processes: fc.constantFrom(1, 1, 2, 3),
      rpm: fc.constantFrom(null, 1_000_000),
      seed: fc.nat(),
    })
    .map(({ honest, liars: lying, ...rest }) => ({
      ...rest,
      teams: [...honest, ...lying],
      perSecond: null,
    })),
)

export async function playRefusals(plan: RefusalsPlan, lengthMs: number): Promise<Met[]> {
  const stage = new Stage(beginAt)
  const limits = createMemoryLimits({ clock: () => stage.now })
  const lines = Array.from(
    { length: plan.processes },
    () => new FairLines({ admit: limits.admit, clock: () => stage.now, after: stage.after }),
  )
  exchangeReports(stage, lines)
  const upstream = createUpstream(plan.perSecond)
  const random = createRandom(plan.seed)
  const model = buildModel({ id: modelId, rpmLimit: plan.rpm, tpmLimit: null })
  const met: Met[] = []
  const work = async (line: FairLines, team: number, { callMs, obeys, liesPercent }: Caller) => {
    const teamId = `t${team}`
    const records = { team: buildTeam({ teamId }), key: buildKey({ teamId, keyHash: `k${team}` }), model }
    const pause = (retryMs: number) => stage.wait(obeys ? retryMs : 200)
    await stage.wait(random() * 1000 + (liesPercent > 0 ? liarsAfterMs : 0))
    for (;;) {
      const at = stage.now
      const note = (end: Met['end'], waitedMs: number) => met.push({ team, at, end, waitedMs })
      const tokens = { input: 0, output: 0 }
      const request = buildRequest({ ...records, callId: randomUUID(), tokens, estimate: { kind: 'none' } })
      const signal = () => new AbortController().signal
      const decision = await line.admit(request, { waitMs: patienceMs, signal })
      const waitedMs = stage.now - at
      if (!decision.admitted) {
        note('held', waitedMs)
        await pause((decision.refusal.retryAfterSeconds ?? 1) * 1000)
        continue
      }
      const isRefused = random() * 100 < liesPercent || !upstream.serves(stage.now)
      await stage.wait(isRefused ? refusedAfterMs : callMs)
      limits.settle(decision.hold, { cost: decision.hold.amount, tokens: 0 })
      note(isRefused ? 'refused' : 'served', waitedMs)
      if (isRefused) {
        line.noteBusy(modelId, teamId, plan.retryMs)
        await pause(plan.retryMs)
      } else line.noteServed(modelId, teamId)
    }
  }
  const faults: unknown[] = []
  for (const [team, { workers, pinnedTo }] of plan.teams.entries()) {
    for (const [index, line] of lines.entries()) {
      if (pinnedTo !== null && pinnedTo % lines.length !== index) continue
      const { [team]: each } = plan.teams
      for (let worker = 0; each !== undefined && worker < workers; worker += 1)
        work(line, team, each).catch(error => faults.push(error))
    }
  }
  await stage.move(lengthMs)
  if (faults.length > 0) throw faults[0]
  return met
}

function exchangeReports(stage: Stage, lines: readonly FairLines[]): void {
  for (const line of lines) {
    const report = () => {
      const others = [...lines.entries()].filter(([, other]) => other !== line)
      line.hear(new Map(others.map(([index, other]) => [String(index), other.report() ?? {}])))
      stage.after(reportMs, report)
    }
    if (lines.length > 1) stage.after(reportMs, report)
  }
}

/** Serves this many calls a second, and those of one second at once. */
function createUpstream(perSecond: number | null) {
  let left = perSecond ?? 0
  let at = beginAt
  return {
    serves: (now: number): boolean => {
      if (perSecond === null) return true
      left = Math.min(perSecond, left + ((now - at) * perSecond) / 1000)
      at = now
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}

/** Mulberry32: in [0, 1). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
