// Writes calls and entries with past times through the server's own statements for current ones, so that sums, totals, chains
// and commitments are what they would be.
import type { CallRecord, CallTexts, SpokenTexts } from '../../../server/src/ledger/call-record.ts'
import type { Charge } from '../../../server/src/ledger/charge.ts'
import type { PackedEntries } from '../../../server/src/store/statements/packed-entries.ts'
import type { ProcessRef } from '../../../server/src/store/statements/processes.ts'
import type { Store } from '../../../server/src/store/store.ts'
import type { Tool } from './cast.ts'
import type { PastCall, PastPush, PastRecorder } from './plan-past.ts'

export type WritePastDependencies = {
  readonly write: Pick<Store['write'], 'commitLedger' | 'recordCalls' | 'appendEntries' | 'noteRecorders'>
  /** The process that charges are written for. */
  readonly process: ProcessRef
  readonly digestTexts: (teamId: string, tool: string | null, texts: SpokenTexts) => CallTexts | null
  /** Version of the recorder that the logbook offers. */
  readonly recorderVersion: string
  /** Makes an id (UUID version 7) that begins with a time (Unix ms). */
  readonly newIdAt: (at: number) => string
  /** Prepares entries as the logbook does. */
  readonly prepareEntries: (entries: readonly object[], at: number) => PackedEntries
  /** The upstream that served the calls: its name, and the id of the key used. */
  readonly upstream: { readonly name: string; readonly keyId: string | null }
}

/** A team member as the directory created it. */
export type Seat = {
  readonly keyHash: string
  readonly tokenId: string
  /** Starts of the budget periods in which the work counts (Unix ms). */
  readonly periods: { readonly team: number; readonly key: number }
}

export type PastOfTeam = {
  readonly teamId: string
  readonly seats: readonly Seat[]
  readonly calls: readonly PastCall[]
  readonly pushes: readonly PastPush[]
  readonly recorders: readonly PastRecorder[]
}

export type WrittenCall = { readonly callId: string; readonly call: PastCall }

/** Max rows in one transaction. */
const maxRows = 250

/** Returns the calls with their ids, ordered by time. */
export async function writePast(
  dependencies: WritePastDependencies,
  { teamId, seats, calls, pushes, recorders }: PastOfTeam,
): Promise<readonly WrittenCall[]> {
  const { write, process, newIdAt } = dependencies
  const written = calls.map((call): WrittenCall => ({ callId: newIdAt(call.at), call }))
  const seatOf = (member: number): Seat => {
    const seat = seats[member]
    if (seat === undefined) throw new Error(`Team ${teamId} has no member ${member}.`)
    return seat
  }
  const charged = written.filter(({ call }) => call.cost > 0)
  for (const part of cut(charged)) {
    const charges = part.map(each => buildCharge(dependencies, teamId, seatOf(each.call.member), each))
    await write.commitLedger({
      process,
      opened: [],
      progress: [],
      charges,
      dropped: [],
      videoTasks: [],
      undelivered: [],
      windows: null,
    })
  }
  const free = written.filter(({ call }) => call.cost === 0)
  for (const part of cut(free))
    await write.recordCalls({
      calls: part.map(each => buildRecord(dependencies, teamId, seatOf(each.call.member), each)),
    })
  for (const { at, member, entries } of pushes) {
    const sender = { tokenId: seatOf(member).tokenId, clientAddress: addressOf(member) }
    const prepared = dependencies.prepareEntries(
      entries.map(({ members }) => members),
      at,
    )
    const [outcome] = await write.appendEntries({
      requests: [{ teamId, sender, entries: prepared }],
      now: at,
    })
    if (outcome?.locked !== false || outcome.stored !== entries.length)
      throw new Error(`The log of team ${teamId} did not store all sample entries.`)
  }
  await write.noteRecorders({
    recorders: recorders.map(({ member, cloneId, seenAt, unsent, oldestAt }) => ({
      teamId,
      tokenId: seatOf(member).tokenId,
      cloneId,
      version: dependencies.recorderVersion,
      unsent,
      oldestAt,
      rejected: 0,
      gone: [],
      clockBehindMs: 0,
      seenAt,
    })),
  })
  return written
}

function cut<Thing>(things: readonly Thing[]): Thing[][] {
  const parts: Thing[][] = []
  for (let start = 0; start < things.length; start += maxRows)
    parts.push(things.slice(start, start + maxRows))
  return parts
}

function buildCharge(
  dependencies: WritePastDependencies,
  teamId: string,
  { keyHash, periods }: Seat,
  { callId, call }: WrittenCall,
): Charge {
  if (call.outcome === 'refused' || call.outcome === 'replayed')
    throw new Error('Refused and replayed calls have no charge.')
  return {
    callId,
    teamId,
    keyHash,
    modelId: call.modelId,
    endpoint: clients[call.tool].endpoint,
    periods,
    admittedAt: call.at,
    units: call.units,
    cost: call.cost,
    flag: call.flag,
    reported: null,
    outcome: call.outcome,
    settledAt: call.at + call.durationMs,
    durationMs: call.durationMs,
    kind: 'call',
    facts: buildFacts(dependencies, teamId, call),
  }
}

function buildRecord(
  dependencies: WritePastDependencies,
  teamId: string,
  { keyHash }: Seat,
  { callId, call }: WrittenCall,
): CallRecord {
  const wasAsked = call.outcome === 'failed'
  return {
    ...buildFacts(dependencies, teamId, call),
    ...(wasAsked ? {} : { upstream: null, upstreamKey: null }),
    callId,
    teamId,
    keyHash,
    endpoint: clients[call.tool].endpoint,
    modelServed: null,
    outcome: call.outcome,
    status: call.status,
    refusal: call.refusal,
    units: {},
    cost: 0,
    flag: null,
    receivedAt: call.at,
    endedAt: call.lastAt + call.durationMs,
    durationMs: call.durationMs,
    count: call.count,
    lastAt: call.lastAt,
  }
}

function buildFacts(
  { digestTexts, upstream }: WritePastDependencies,
  teamId: string,
  { tool, session, member, code, modelId, texts, firstByteMs }: PastCall,
) {
  const { userAgent, sessionSource } = clients[tool]
  return {
    code,
    modelAsked: modelId,
    client: {
      sessionId: sessionSource === null ? null : session,
      sessionSource,
      parentSession: null,
      tool,
      userAgent,
      address: addressOf(member),
    },
    firstByteMs,
    upstream: upstream.name,
    upstreamKey: upstream.keyId,
    texts: texts === null ? null : digestTexts(teamId, tool, texts),
  }
}

/** Client names and session headers as the tools send them (`gateway/call-record/describe-client.ts`); Gemini CLI sends no session. */
const clients: Readonly<
  Record<
    Tool,
    { readonly endpoint: string; readonly userAgent: string; readonly sessionSource: string | null }
  >
> = {
  claude: {
    endpoint: 'messages',
    userAgent: 'claude-cli/2.1.4 (external, cli)',
    sessionSource: 'x-claude-code-session-id',
  },
  codex: { endpoint: 'responses', userAgent: 'codex_cli_rs/0.61.0', sessionSource: 'session-id' },
  gemini: { endpoint: 'generateContent', userAgent: 'GeminiCLI/0.19.0 (linux; x64)', sessionSource: null },
}

/** Addresses reserved for documentation (RFC 5737). */
function addressOf(member: number): string {
  return `192.0.2.${10 + member}`
}
