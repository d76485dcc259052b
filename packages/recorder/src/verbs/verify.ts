// `verify`: shows that the logbook has every entry that it acknowledged, and sends missing ones again.

import type { StoredEntry } from '@fairgate/contracts/logbook/entries-page.ts'
import { entryMembers } from '@fairgate/contracts/logbook/entry-members.ts'
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import type { CallLogbook } from '../logbook/call-logbook.ts'
import { checkToken, readPage } from '../logbook/read-page.ts'
import { runSending } from '../push/run-sending.ts'
import { type ArchivedEntry, readArchive } from '../spool/archive.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { connectLogbook, openRepository } from './open-repository.ts'
import { prepareSending } from './prepare-sending.ts'
import type { RunVerb } from './verb.ts'

const pageSize = 200

export const runVerify: RunVerb = async (context, { flags }) => {
  const open = openRepository(context)
  const callLogbook = await connectLogbook(open.spool, context)
  const { own, others, isProven } = sortByTeam(readArchive(open.spool), await readTeam(callLogbook))
  const missing = await findMissing(callLogbook, own)
  const isSending = missing.length > 0 && flags['no-send'] === undefined
  // Another team's token, or another logbook, looks the same. Sending would put one team's entries into another team's log.
  if (isSending && missing.length === own.length && !isProven && flags.force === undefined)
    throw new UserFailure(
      `None of the ${own.length} acknowledged entries is in this logbook: the log token may be another team's. Nothing was sent; "verify --force" sends them.`,
    )
  // An entry is sent again as the same bytes, so nothing is doubled if it was there after all.
  if (isSending) for (const entry of missing) open.spool.put(entry)
  const result = isSending
    ? await runSending({
        ...prepareSending(context, open),
        remainingMs: () => Number.POSITIVE_INFINITY,
        isPatient: false,
      })
    : null
  const report = {
    acknowledged: own.length,
    found: own.length - missing.length,
    missing: missing.length,
    resent: result?.sent ?? 0,
    otherTeams: others.length,
  }
  if (flags.json !== undefined) context.print(`${JSON.stringify(report)}\n`)
  else context.print(describe(report, result?.stop?.message ?? null))
  const isWhole = missing.length === 0 || (result !== null && result.stop === null)
  return isWhole ? 0 : 1
}

/** The team of the log token; null if the logbook does not say. */
async function readTeam(callLogbook: CallLogbook): Promise<string | null> {
  const check = await checkToken(callLogbook)
  if (check.state === 'accepted') return check.teamId
  if (check.state === 'refused') throw new UserFailure('The logbook does not know the log token.')
  throw new UserFailure(`The logbook cannot be reached: ${check.message}.`)
}

type Sorted = {
  readonly own: readonly ArchivedEntry[]
  readonly others: readonly ArchivedEntry[]
  /** Whether some entries were acknowledged for this team. */
  readonly isProven: boolean
}

/** Throws UserFailure when all acknowledged entries with a known team belong to other teams. */
function sortByTeam(archived: readonly ArchivedEntry[], teamId: string | null): Sorted {
  const isOther = (entry: ArchivedEntry) =>
    teamId !== null && entry.teamId !== null && entry.teamId !== teamId
  const others = archived.filter(isOther)
  const own = archived.filter(entry => !isOther(entry))
  const isProven = teamId !== null && own.some(entry => entry.teamId === teamId)
  if (others.length > 0 && !isProven) {
    const teams = [...new Set(others.map(entry => entry.teamId))].join(', ')
    throw new UserFailure(
      `The log token belongs to team ${teamId}, but the entries acknowledged here belong to team ${teams}. Nothing was compared or sent. Run "fairgate-recorder init --token-stdin" with the token of team ${teams}.`,
    )
  }
  return { own, others, isProven }
}

async function findMissing(
  callLogbook: CallLogbook,
  archived: readonly ArchivedEntry[],
): Promise<ArchivedEntry[]> {
  const comparison = createComparison(archived)
  const oldest = Math.min(...archived.map(({ entry }) => Date.parse(String(entry.ts))))
  let next: string | null = null
  while (comparison.missing().length > 0) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(callLogbook, {
      limit: pageSize,
      before: next,
    })
    for (const stored of page.items) comparison.see(stored)
    next = page.next_before
    const isPast = page.items.some(({ ts }) => Date.parse(ts) < oldest)
    if (next === null || isPast) break
  }
  return comparison.missing()
}

type Report = { acknowledged: number; missing: number; resent: number; otherTeams: number }

function describe({ acknowledged, missing, resent, otherTeams }: Report, stop: string | null): string {
  const aside =
    otherTeams === 0 ? '' : `${otherTeams} more were acknowledged for another team and were not compared.\n`
  if (missing === 0) return `The logbook has all ${acknowledged} entries that it acknowledged.\n${aside}`
  const sent = `${resent} sent again${stop === null ? '' : ` (${showLine(stop)})`}`
  return `${missing} of ${acknowledged} acknowledged entries are not in the logbook; ${sent}.\n${aside}`
}

/** Times are compared as instants, and tools in lower case. */
const comparedMembers = entryMembers.filter(member => member !== 'tool')

/** Counts the returned entries, because true repeats look the same and only their number shows whether one is missing. */
function createComparison(archived: readonly ArchivedEntry[]) {
  const waiting = new Map<string, ArchivedEntry[]>()
  for (const item of archived) {
    const key = buildKey(item.entry)
    waiting.set(key, [...(waiting.get(key) ?? []), item])
  }
  return {
    /** Removes an entry of the logbook from the list of those not yet seen. */
    see: (stored: StoredEntry) => {
      const key = buildKey(stored)
      const [, ...rest] = waiting.get(key) ?? []
      if (rest.length === 0) waiting.delete(key)
      else waiting.set(key, rest)
    },
    missing: (): ArchivedEntry[] => [...waiting.values()].flat(),
  }
}

function buildKey(entry: Readonly<Record<string, unknown>>): string {
  const values = comparedMembers.map(member => sortMembers(entry[member] ?? null))
  return JSON.stringify([Date.parse(String(entry.ts)), String(entry.tool).toLowerCase(), ...values])
}

/** The logbook returns the members of objects in another order. */
function sortMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortMembers)
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => [name, sortMembers(member)])
}
