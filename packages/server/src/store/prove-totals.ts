// Proves that every total is the sum of the ledger's rows, team by team in slices, while calls continue.
//
// Rows are only ever added, each with its step of the totals in one transaction. So the rows up to a minute ago are summed first, slice by slice, and
// then the newest ones together with all totals in one statement, which sees one moment. The sum of the rows up to ten minutes ago is kept, and the
// next proof begins there. A row that is written behind the slices or behind that point (the end of a long stream, a refund) makes a team look wrong:
// then it is summed again, from its first row on.
import type { SpendProof, WrongTotal } from '@fairgate/contracts/spend/spend-proof.ts'
import { nothingProven, type ProvenPoint, type ProvenPoints } from './proven-points.ts'
import { firstIdOf } from './statements/calls.ts'
import type { KeyModelCost, LedgerEnd } from './statements/spend-proof.ts'
import type { Store } from './store.ts'

export type ProofDependencies = {
  readonly read: Pick<
    Store['read'],
    'sumChargeSlice' | 'readLedgerEnd' | 'readEventTotal' | 'listSpendingTeams'
  >
  /** Unix ms. */
  readonly clock: () => number
  /** Monotonic ms. */
  readonly stopwatch: () => number
  /** Null: all rows are summed, and nothing is kept. */
  readonly points: ProvenPoints | null
  /** Called after this many rows, to let others read. Rejects if no client waits for the proof. */
  readonly pause: (rows: number) => Promise<void>
}

/** A few milliseconds of reading. */
const rowsPerSlice = 5000
/** Calls that began earlier have ended, except for long streams. */
const newestMs = 60_000
/** Nearly all calls that began before have ended, so few rows are added behind the point. */
const settledMs = 10 * 60_000
const maxTries = 3
/** Number of teams' points that are written together. */
const pointsPerWrite = 50
const maxShown = 100

/** `teamId`: null for all teams. `isWhole`: from the first row on, regardless of earlier proofs. */
export async function proveTotals(
  dependencies: ProofDependencies,
  { teamId, isWhole }: { readonly teamId: string | null; readonly isWhole: boolean },
): Promise<SpendProof> {
  const { read, clock, stopwatch, points } = dependencies
  const begun = stopwatch()
  const asOf = new Date(clock()).toISOString()
  const teams = teamId === null ? await read.listSpendingTeams() : [teamId]
  const known = points === null || isWhole ? null : await points.read(clock())
  const proven = new Map<string, ProvenPoint>()
  const keep = async () => {
    if (points !== null && proven.size > 0) await points.keep(proven)
    proven.clear()
  }
  const sum = { owners: 0, rows: 0, rowsBefore: 0, fallbacks: 0 }
  const wrong: WrongTotal[] = []
  for (const team of teams) {
    const proof = await proveTeam(dependencies, team, known?.get(team) ?? null)
    sum.owners += proof.owners
    sum.rows += proof.rows
    sum.rowsBefore += proof.rowsBefore
    sum.fallbacks += proof.fallbacks
    wrong.push(...proof.wrong)
    proven.set(team, proof.wrong.length === 0 ? proof.point : nothingProven)
    if (proven.size === pointsPerWrite) await keep()
  }
  await keep()
  if (teamId === null) {
    const { event, teams: ofTeams } = await read.readEventTotal()
    sum.owners += 1
    // A team with a wrong total makes that of the event differ as well.
    if (wrong.length === 0 && event !== ofTeams)
      wrong.push({ team_id: '', owner: 'event', total_nano: event, rows_nano: ofTeams })
  }
  return {
    as_of: asOf,
    took_ms: Math.round(stopwatch() - begun),
    ok: wrong.length === 0,
    teams: teams.length,
    owners: sum.owners,
    rows: sum.rows,
    rows_before: sum.rowsBefore,
    wrong: wrong.slice(0, maxShown),
    wrong_count: wrong.length,
    by_fallback: sum.fallbacks,
  }
}

type TeamProof = Comparison & {
  readonly rows: number
  /** How many of them the point had summed. */
  readonly rowsBefore: number
  readonly point: ProvenPoint
}

/** A team that looks wrong from its point on is summed again from its first row on. */
async function proveTeam(
  dependencies: ProofDependencies,
  teamId: string,
  point: ProvenPoint | null,
): Promise<TeamProof> {
  if (point !== null) {
    const proof = await sumTeam(dependencies, teamId, point)
    if (proof.wrong.length === 0) return proof
  }
  for (let tries = 1; ; tries += 1) {
    const proof = await sumTeam(dependencies, teamId, null)
    if (proof.wrong.length === 0 || tries === maxTries) return proof
  }
}

async function sumTeam(
  dependencies: ProofDependencies,
  teamId: string,
  known: ProvenPoint | null,
): Promise<TeamProof> {
  const { read, clock } = dependencies
  const now = clock()
  const [settledId, newestId] = [firstIdOf(now - settledMs), firstIdOf(now - newestMs)]
  const before = known ?? { beforeId: '', costs: [], rows: 0, wholeAt: now }
  const settled = await sumSlices(dependencies, teamId, before.beforeId, settledId)
  const point: ProvenPoint = {
    // After the clock was set back the point stays.
    beforeId: higherOf(settledId, before.beforeId),
    costs: addCosts([...before.costs, ...settled.costs]),
    rows: before.rows + settled.rows,
    wholeAt: before.wholeAt,
  }
  const recent = await sumSlices(dependencies, teamId, point.beforeId, newestId)
  const end = await read.readLedgerEnd({ teamId, fromId: higherOf(newestId, point.beforeId) })
  return {
    ...compareTeam(teamId, [...point.costs, ...recent.costs, ...end.charges], end),
    rows: point.rows + recent.rows + end.rows,
    rowsBefore: before.rows,
    point,
  }
}

function higherOf(one: string, other: string): string {
  return [one, other].sort()[1] ?? one
}

/** Charges from an id on and before another. */
async function sumSlices(
  { read, pause }: ProofDependencies,
  teamId: string,
  fromId: string,
  endId: string,
): Promise<{ readonly costs: readonly KeyModelCost[]; readonly rows: number }> {
  const costs: KeyModelCost[] = []
  let rows = 0
  for (let afterId: string | null = fromId; afterId !== null; ) {
    const slice: Awaited<ReturnType<typeof read.sumChargeSlice>> = await read.sumChargeSlice({
      ...{ teamId, afterId, endId },
      limit: rowsPerSlice,
    })
    costs.push(...slice.costs)
    rows += slice.rows
    afterId = slice.nextAfter
    await pause(slice.rows)
  }
  return { costs, rows }
}

function addCosts(costs: readonly KeyModelCost[]): KeyModelCost[] {
  const sums = new Map<string, KeyModelCost>()
  for (const { keyHash, modelId, cost } of costs) {
    const name = JSON.stringify([keyHash, modelId])
    sums.set(name, { keyHash, modelId, cost: cost + (sums.get(name)?.cost ?? 0) })
  }
  return [...sums.values()]
}

type Comparison = {
  readonly owners: number
  readonly wrong: readonly WrongTotal[]
  /** Totals of a key and model that differ but sum to zero over the key: the rows name the model that served. */
  readonly fallbacks: number
}

/** `costs`: all rows of the team. */
function compareTeam(
  teamId: string,
  costs: readonly KeyModelCost[],
  { adjustments, totals, buckets }: Pick<LedgerEnd, 'adjustments' | 'totals' | 'buckets'>,
): Comparison {
  const rows = new Map<string, number>()
  const add = (owner: string, cost: number) => rows.set(owner, (rows.get(owner) ?? 0) + cost)
  for (const { keyHash, modelId, cost } of costs) {
    add(`team:${teamId}`, cost)
    add(`key:${keyHash}`, cost)
    add(`key_model:${keyHash}:${modelId}`, cost)
  }
  for (const { keyHash, modelId, cost } of adjustments) {
    add(`team:${teamId}`, cost)
    if (keyHash !== null) add(`key:${keyHash}`, cost)
    if (keyHash !== null && modelId !== null) add(`key_model:${keyHash}:${modelId}`, cost)
  }
  // The amounts that reports show: charges and their corrections, without corrections of a whole key or team.
  const models = new Map([...rows].filter(([owner]) => owner.startsWith('key_model:')))
  const reported = new Map(
    buckets.map(({ keyHash, modelId, cost }) => [`key_model:${keyHash}:${modelId}`, cost] as const),
  )
  const differences: WrongTotal[] = []
  const compare = (
    known: ReadonlyMap<string, number>,
    expected: ReadonlyMap<string, number>,
    prefix = '',
  ) => {
    for (const owner of new Set([...known.keys(), ...expected.keys()])) {
      const [total, sum] = [known.get(owner) ?? 0, expected.get(owner) ?? 0]
      if (total !== sum)
        differences.push({ team_id: teamId, owner: `${prefix}${owner}`, total_nano: total, rows_nano: sum })
    }
  }
  compare(totals, rows)
  compare(reported, models, 'report:')
  const moved = new Map<string, number>()
  for (const { owner, total_nano, rows_nano } of differences) {
    const key = keyOf(owner)
    if (key !== null) moved.set(key, (moved.get(key) ?? 0) + total_nano - rows_nano)
  }
  const isFallback = ({ owner }: WrongTotal) => {
    const key = keyOf(owner)
    return key !== null && moved.get(key) === 0
  }
  return {
    owners: new Set([...totals.keys(), ...rows.keys()]).size,
    wrong: differences.filter(each => !isFallback(each)),
    fallbacks: differences.filter(isFallback).length,
  }
}

/** The key of a `key_model:<hash>:<model>`; null for other owners. */
function keyOf(owner: string): string | null {
  return /^key_model:([^:]*):/.exec(owner)?.[1] ?? null
}
