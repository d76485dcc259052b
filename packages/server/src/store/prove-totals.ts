// Proves that every total is the sum of the ledger's rows, team by team in slices, while calls go on.
//
// Rows are only ever added, each with its step of the totals in one transaction. So the rows up to some minutes ago are summed first,
// slice by slice, and then the newest ones together with all totals in one statement, which sees one moment. A row that is written
// behind the slices meanwhile (the end of a long stream, a refund) makes a team look wrong once, and not when it is summed again.
import type { SpendProof, WrongTotal } from '@fairgate/contracts/spend/spend-proof.ts'
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
  /** Lets others read between two slices. */
  readonly pause: () => Promise<void>
}

/** A few milliseconds of reading. */
const rowsPerSlice = 5000
/** Calls that began longer ago have ended, but for long streams. */
const newestMs = 60_000
const mostTries = 3
const mostShown = 100

/** Null for all teams. */
export async function proveTotals(
  dependencies: ProofDependencies,
  teamId: string | null,
): Promise<SpendProof> {
  const { read, clock, stopwatch } = dependencies
  const begun = stopwatch()
  const asOf = new Date(clock()).toISOString()
  const teams = teamId === null ? await read.listSpendingTeams() : [teamId]
  const sum = { owners: 0, rows: 0, fallbacks: 0 }
  const wrong: WrongTotal[] = []
  for (const team of teams) {
    const proof = await proveTeam(dependencies, team)
    sum.owners += proof.owners
    sum.rows += proof.rows
    sum.fallbacks += proof.fallbacks
    wrong.push(...proof.wrong)
  }
  if (teamId === null) {
    const { event, teams: ofTeams } = await read.readEventTotal()
    sum.owners += 1
    // A team whose total is wrong makes that of the event differ as well.
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
    wrong: wrong.slice(0, mostShown),
    wrong_count: wrong.length,
    by_fallback: sum.fallbacks,
  }
}

type TeamProof = Comparison & { readonly rows: number }

async function proveTeam(dependencies: ProofDependencies, teamId: string): Promise<TeamProof> {
  for (let tries = 1; ; tries += 1) {
    const proof = await sumTeam(dependencies, teamId)
    if (proof.wrong.length === 0 || tries === mostTries) return proof
  }
}

async function sumTeam({ read, clock, pause }: ProofDependencies, teamId: string): Promise<TeamProof> {
  const fromId = firstIdOf(clock() - newestMs)
  const costs: KeyModelCost[] = []
  let rows = 0
  for (let afterId: string | null = ''; afterId !== null; ) {
    const slice: Awaited<ReturnType<typeof read.sumChargeSlice>> = await read.sumChargeSlice({
      teamId,
      afterId,
      endId: fromId,
      limit: rowsPerSlice,
    })
    costs.push(...slice.costs)
    rows += slice.rows
    afterId = slice.nextAfter
    await pause()
  }
  const end = await read.readLedgerEnd({ teamId, fromId })
  return { ...compareTeam(teamId, [...costs, ...end.charges], end), rows: rows + end.rows }
}

type Comparison = {
  readonly owners: number
  readonly wrong: readonly WrongTotal[]
  /** Totals of a key and model that differ and come to nothing over the key: the rows name the model that has served. */
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
  // What the reports show: charges and their corrections, without corrections of a whole key or team.
  const models = new Map([...rows].filter(([owner]) => owner.startsWith('key_model:')))
  const reported = new Map(
    buckets.map(({ keyHash, modelId, cost }) => [`key_model:${keyHash}:${modelId}`, cost] as const),
  )
  const differences: WrongTotal[] = []
  const compare = (told: ReadonlyMap<string, number>, expected: ReadonlyMap<string, number>, prefix = '') => {
    for (const owner of new Set([...told.keys(), ...expected.keys()])) {
      const [total, sum] = [told.get(owner) ?? 0, expected.get(owner) ?? 0]
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
