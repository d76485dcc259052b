// Judges the figures of a rehearsal: gives a verdict and says what to change.
import { sandboxDelays } from './plan-rehearsal.ts'
import type { TallyFigures } from './tally.ts'

export type RehearsalFigures = TallyFigures & {
  readonly teams: number
  readonly seconds: number
  readonly is_interrupted: boolean
  readonly calls_per_second: number
  readonly entries_per_second: number
  /** Rate in the ten busiest seconds. */
  readonly busiest_calls_per_second: number
  /** Null if the server's data cannot be seen from here. */
  readonly disk_bytes_per_hour: number | null
  readonly free_disk_bytes: number | null
  readonly peak_memory_bytes: number | null
  /** This machine's memory; null if the server is elsewhere. */
  readonly machine_memory_bytes: number | null
  readonly money: {
    /** Sum of the totals of the rehearsal's teams. */
    readonly spend_nano: number
    /** Whether every total is the sum of its rows, by the server's own check. */
    readonly proven: boolean
  }
}

export type Verdict = {
  readonly verdict: 'ready' | 'with remarks' | 'not ready'
  readonly remarks: readonly {
    readonly state: 'warning' | 'fault'
    readonly text: string
    readonly fix: string
  }[]
}

/** On top of the sandbox's own delay. Participants who wait a second or more for a model do not notice less. */
const slowMs = 500
const slowPushMs = 5000
/** A weekend. */
const shortHours = 48
/** Share of refused calls among teams that work normally. */
const manyRefused = 0.01

export function judgeRehearsal(figures: RehearsalFigures): Verdict {
  const remarks = [
    ...judgeMoney(figures),
    ...judgeFailures(figures),
    ...judgeSpeed(figures),
    ...judgeRefusals(figures),
    ...judgeRoom(figures),
  ]
  const hasFault = remarks.some(({ state }) => state === 'fault')
  return { verdict: hasFault ? 'not ready' : remarks.length > 0 ? 'with remarks' : 'ready', remarks }
}

type Remarks = Verdict['remarks'][number][]

function judgeMoney({
  money,
  told_cost_nano: reported,
  is_interrupted,
  failures,
}: RehearsalFigures): Remarks {
  const remarks: Remarks = []
  if (!money.proven)
    remarks.push({
      state: 'fault',
      text: 'totals differ from the sums of their rows',
      fix: 'Run `fairgate spend verify`, and report its output before the event.',
    })
  // A call is charged even if it was cut off or its answer was lost on the way.
  const isWhole = !is_interrupted && Object.keys(failures).length === 0
  if (money.spend_nano < reported || (isWhole && money.spend_nano !== reported))
    remarks.push({
      state: 'fault',
      text: `the calls reported ${reported} nano-dollars, but the teams have spent ${money.spend_nano}`,
      fix: 'Run `fairgate spend export --ndjson`, and compare the rows with the calls.',
    })
  return remarks
}

function judgeFailures({ failures, entries_missing, calls }: RehearsalFigures): Remarks {
  const remarks: Remarks = []
  if (calls === 0)
    remarks.push({ state: 'fault', text: 'no call was answered', fix: 'Run `fairgate doctor`.' })
  const kinds = Object.entries(failures).map(([kind, count]) => `${count} × ${kind}`)
  if (kinds.length > 0)
    remarks.push({
      state: 'fault',
      text: `calls or pushes failed: ${kinds.join(', ')}`,
      fix: "Check the server's log at that time, and run `fairgate doctor`.",
    })
  if (entries_missing > 0)
    remarks.push({
      state: 'fault',
      text: `${entries_missing} entries were sent but not stored`,
      fix: "Check whether boards are locked (`fairgate board list`), then check the server's log.",
    })
  return remarks
}

function judgeSpeed({ call, first_token, push }: RehearsalFigures): Remarks {
  const remarks: Remarks = []
  const { firstByteMs, chunkMs, chunks } = sandboxDelays
  const more =
    'Give the server more cores and run multiple processes (`fairgate serve --processes`, on PostgreSQL). Check the disk with `fairgate doctor`.'
  const longest = firstByteMs + chunkMs * chunks + slowMs
  if (call.p95_ms !== null && call.p95_ms > longest)
    remarks.push({
      state: 'warning',
      text: `one call in twenty takes longer than ${Math.round(call.p95_ms)} ms`,
      fix: more,
    })
  if (first_token.p95_ms !== null && first_token.p95_ms > firstByteMs + slowMs)
    remarks.push({
      state: 'warning',
      text: `one stream in twenty takes longer than ${Math.round(first_token.p95_ms)} ms to begin`,
      fix: more,
    })
  if (push.p95_ms !== null && push.p95_ms > slowPushMs)
    remarks.push({
      state: 'warning',
      text: `one push in twenty takes longer than ${Math.round(push.p95_ms)} ms`,
      fix: "Check the disk's flush time with `fairgate doctor`.",
    })
  return remarks
}

function judgeRefusals({ refusals, refusals_of_the_loop, calls }: RehearsalFigures): Remarks {
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0) - refusals_of_the_loop
  if (refused <= (calls + refused) * manyRefused) return []
  const kinds = Object.entries(refusals).map(([code, count]) => `${count} × ${code}`)
  return [
    {
      state: 'warning',
      text: `${refused} calls of normal teams were refused (all refusals: ${kinds.join(', ')})`,
      fix: 'Raise the limits of teams and models, mainly in the catalog. docs/errors.md explains each code.',
    },
  ]
}

function judgeRoom(figures: RehearsalFigures): Remarks {
  const { disk_bytes_per_hour: perHour, free_disk_bytes: free } = figures
  const { peak_memory_bytes: peak, machine_memory_bytes: machine } = figures
  const remarks: Remarks = []
  if (perHour !== null && free !== null && perHour > 0 && free / perHour < shortHours)
    remarks.push({
      state: 'warning',
      text: `the disk will be full after ${Math.floor(free / perHour)} hours of this load`,
      fix: 'Put the data folder on a larger disk.',
    })
  if (peak !== null && machine !== null && peak > machine / 2)
    remarks.push({
      state: 'warning',
      text: "the server used more than half of this machine's memory",
      fix: 'Use a machine with more memory, or lower `limits.bodies` in the settings.',
    })
  return remarks
}
