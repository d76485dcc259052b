// Sums the cost of a team's calls by class, and computes the share of its agents' spend that the log covers.
import { type CallClass, callClasses, type JudgedBy, type JudgedCall } from './judge-calls.ts'
import type { LoggedSession } from './session-log.ts'

export type Share = { readonly calls: number; readonly cost: number }

/** A session of a tool with calls that were found but entries that were not. */
export type MissingSession = Share & {
  readonly id: string
  readonly tool: string
  readonly class: 'unexplained' | 'pending'
  /** Unix ms of its first and last call. */
  readonly firstAt: number
  readonly lastAt: number
}

export type CoverageSum = {
  /** From 0 to 1, rounded down to four decimals; null if there is too little to judge. */
  readonly coverage: number | null
  /** The same plus calls that are only matched by time. */
  readonly upTo: number | null
  /** The total that the number is a share of. */
  readonly judged: Share
  readonly classes: Readonly<Record<CallClass, Share>>
  /** Reasons of calls that are neither covered nor excused. */
  readonly unexplainedBy: Readonly<Partial<Record<JudgedBy, Share>>>
  readonly sessions: number
  /** Sessions without calls, mostly of tools that do not use the gateway. */
  readonly loggedOnly: { readonly sessions: number; readonly entries: number }
  /** Newest first. */
  readonly missing: readonly MissingSession[]
}

/** With fewer calls than this, a share says nothing. */
const fewestCalls = 20
/** Nano-dollars: USD 0.05. */
const leastCost = 50_000_000
const maxMissing = 50

export function sumCoverage(
  judged: readonly JudgedCall[],
  sessions: readonly LoggedSession[],
  range: { readonly from: number; readonly until: number },
): CoverageSum {
  const classes = Object.fromEntries(callClasses.map(name => [name, emptyShare])) as Record<CallClass, Share>
  const unexplainedBy: Partial<Record<JudgedBy, Share>> = {}
  for (const { call, class: name, by } of judged) {
    classes[name] = addCall(classes[name], call.cost)
    if (name === 'unexplained') unexplainedBy[by] = addCall(unexplainedBy[by] ?? emptyShare, call.cost)
  }
  const covered = sumCovered({ classes })
  const base = addShares(covered, classes.probable, classes.unexplained)
  const isEnough = base.calls >= fewestCalls && base.cost >= leastCost
  const used = new Set(judged.flatMap(call => call.sessions))
  const inRange = sessions.filter(({ firstAt, lastAt }) => firstAt < range.until && lastAt >= range.from)
  const unused = inRange.filter(({ key }) => !used.has(key))
  return {
    coverage: isEnough ? divide(covered.cost, base.cost) : null,
    upTo: isEnough ? divide(covered.cost + classes.probable.cost, base.cost) : null,
    judged: base,
    classes,
    unexplainedBy,
    sessions: inRange.length,
    loggedOnly: {
      sessions: unused.length,
      entries: unused.reduce((sum, { entries }) => sum + entries, 0),
    },
    missing: listMissing(judged),
  }
}

/** The part that the log explains. */
export function sumCovered({ classes }: Pick<CoverageSum, 'classes'>): Share {
  return addShares(classes.session, classes.text, classes.ambiguous)
}

const emptyShare: Share = { calls: 0, cost: 0 }

function addCall({ calls, cost }: Share, more: number): Share {
  return { calls: calls + 1, cost: cost + more }
}

function addShares(...shares: readonly Share[]): Share {
  return shares.reduce((sum, { calls, cost }) => ({ calls: sum.calls + calls, cost: sum.cost + cost }))
}

/** Rounded down, so that 1 means all of it. */
function divide(part: number, whole: number): number {
  return Math.floor((part / whole) * 10_000) / 10_000
}

function listMissing(judged: readonly JudgedCall[]): MissingSession[] {
  const found = new Map<string, MissingSession>()
  for (const { call, class: name } of judged) {
    const { sessionId, tool, cost, receivedAt, endedAt } = call
    if ((name !== 'unexplained' && name !== 'pending') || sessionId === null || tool === null) continue
    const key = `${name} ${tool} ${sessionId}`
    const known = found.get(key)
    found.set(key, {
      id: sessionId,
      tool,
      class: name,
      ...addCall(known ?? emptyShare, cost),
      firstAt: Math.min(known?.firstAt ?? receivedAt, receivedAt),
      lastAt: Math.max(known?.lastAt ?? endedAt, endedAt),
    })
  }
  return [...found.values()]
    .sort((left, right) => right.lastAt - left.lastAt || (left.id < right.id ? -1 : 1))
    .slice(0, maxMissing)
}
