// Plans the sample data: calls with their costs, refusals, and entries grouped by push. Pure and repeatable.
import type { RefusalFigures } from '@fairgate/contracts/errors/api-error.ts'
import type { CallOutcome, SpokenTexts } from '../../../server/src/ledger/call-record.ts'
import type { ChargeFlag } from '../../../server/src/ledger/charge.ts'
import type { Units } from '../../../server/src/ledger/price.ts'
import { cast, lastPlaces, type PastTeam, type Tool, teamBudget } from './cast.ts'
import { planRefusals } from './plan-refusals.ts'
import { buildExchange, type Exchange, hostilePrompt, pick } from './words.ts'

/** Length of the past. */
export const pastMs = 5 * 3_600_000

export type PastModel = {
  readonly id: string
  /** Nano-dollars. */
  readonly costOf: (units: Units) => number
}

/** `member`: index in its team's list. Times in Unix ms. */
export type PastCall = {
  readonly at: number
  readonly member: number
  readonly tool: Tool
  readonly session: string
  readonly modelId: string
  readonly outcome: CallOutcome
  readonly code: string | null
  readonly status: number | null
  readonly refusal: RefusalFigures | null
  readonly units: Units
  /** Nano-dollars; 0 if not charged. */
  readonly cost: number
  readonly flag: ChargeFlag | null
  readonly texts: SpokenTexts | null
  readonly durationMs: number
  readonly firstByteMs: number | null
  /** How many equal calls it represents, and when the last of them came. */
  readonly count: number
  readonly lastAt: number
}

export type PastEntry = { readonly at: number; readonly members: Readonly<Record<string, unknown>> }

/** One `git push` of one member. */
export type PastPush = {
  readonly at: number
  readonly member: number
  readonly entries: readonly PastEntry[]
}

/** A member's latest recorder status. */
export type PastRecorder = {
  readonly member: number
  readonly cloneId: string
  readonly seenAt: number
  readonly unsent: number
  readonly oldestAt: number | null
}

export type PastWork = {
  readonly team: PastTeam
  /** Ordered by time. */
  readonly calls: readonly PastCall[]
  readonly pushes: readonly PastPush[]
  readonly recorders: readonly PastRecorder[]
}

export type PlanInput = {
  /** Unix ms. */
  readonly now: number
  readonly random: () => number
  /** Three, or fewer if the catalog has fewer. */
  readonly models: readonly PastModel[]
}

const minuteMs = 60_000
/** One member's turns. */
const turns = 20
const turnsPerSession = 9
/** A break this long begins a new session. */
const pauseMs = 18 * minuteMs
/** Upper bound for the length of a turn. */
const turnMs = 75_000
const pushEveryMs = 20 * minuteMs
const silentMs = 75 * minuteMs

export function planPast(input: PlanInput): PastWork[] {
  return cast.map((team, place) => planTeam(team, input, place === 0))
}

/** `isHostile`: one of its prompts tries to do harm when displayed. */
function planTeam(team: PastTeam, input: PlanInput, isHostile: boolean): PastWork {
  const { now } = input
  const works = team.members.map((_, member) => planMember(team, member, input, isHostile && member === 1))
  const calls = works.flatMap(work => work.calls)
  const charged = scaleCosts(calls, team.share * teamBudget * 1e9, input.models)
  const refused = planRefusals({ team, now, random: input.random, calls: charged })
  const sent = works.map((work, member) => planPushes(team, member, work.entries, now))
  return {
    team,
    calls: [...charged, ...refused].sort((left, right) => left.at - right.at),
    pushes: sent.flatMap(({ pushes }) => pushes).sort((left, right) => left.at - right.at),
    recorders: sent.map(({ recorder }) => recorder),
  }
}

type MemberWork = { readonly calls: PastCall[]; readonly entries: PastEntry[] }

function planMember(team: PastTeam, member: number, input: PlanInput, isHostile: boolean): MemberWork {
  const { now, random, models } = input
  const tool = team.tools[member] ?? 'claude'
  const work: MemberWork = { calls: [], entries: [] }
  const times = planTurns(team, now, random)
  const writer = { id: cloneIdOf(team, member), count: 0 }
  let session = ''
  let turnsBefore = 0
  let previous = Number.NEGATIVE_INFINITY
  for (const [index, at] of times.entries()) {
    if (at - previous > pauseMs || turnsBefore === turnsPerSession) {
      session = newSessionId(random)
      turnsBefore = 0
    }
    const model = models[Math.min(models.length - 1, Math.floor(random() ** 1.5 * models.length))]
    if (model === undefined) throw new Error('The catalog has no chat model. The sample data needs one.')
    const exchange = buildExchange(random)
    const said = isHostile && index === 3 ? { ...exchange, prompt: hostilePrompt } : exchange
    addTurn(work, { team, member, tool, session, model, at, turnsBefore, random, writer }, said)
    turnsBefore += 1
    previous = at
  }
  return work
}

/** Start times of a member's turns, at least `turnMs` apart. */
function planTurns(team: PastTeam, now: number, random: () => number): number[] {
  const last = lastPlaces[team.role]
  const from = now - pastMs + 2 * minuteMs
  // Leaves time for the last turn to end and be pushed before now.
  const to = now - pastMs + last * pastMs - 2 * turnMs
  const count = Math.max(1, Math.round(turns * last))
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    const place = Math.min(1, (index + random()) / count)
    const at = Math.round(from + team.pace(place) * (to - from))
    times.push(Math.max(at, (times.at(-1) ?? 0) + turnMs))
  }
  const excess = Math.max(0, (times.at(-1) ?? to) - to)
  return times.map(at => at - excess)
}

type Turn = {
  readonly team: PastTeam
  readonly member: number
  readonly tool: Tool
  readonly session: string
  readonly model: PastModel
  readonly at: number
  readonly turnsBefore: number
  readonly random: () => number
  readonly writer: { readonly id: string; count: number }
}

/** A prompt, one or two rounds with a tool command, and the answer. */
function addTurn(work: MemberWork, turn: Turn, said: Exchange): void {
  const { tool, random, at } = turn
  const events = eventNames[tool]
  addEntry(work, turn, at, { event: events.prompt, prompt: said.prompt })
  let time = at + 400
  const first = buildCall(turn, time, { prompts: [said.prompt], results: [], answer: null })
  work.calls.push(first)
  time += first.durationMs + 1500
  addEntry(work, turn, time, {
    event: said.isFailure ? events.failure : events.tool,
    tool_name: tool === 'gemini' ? 'run_shell_command' : 'Bash',
    tool_input: { command: said.command },
    tool_response: said.isFailure ? null : said.result,
    tool_error: said.isFailure ? said.result : null,
  })
  const second = buildCall(turn, time + 300, { prompts: [], results: [said.result], answer: said.answer })
  // One in thirty is cut off by its client, so its usage is estimated.
  const isCut = random() < 1 / 30
  work.calls.push(isCut ? { ...second, outcome: 'client_closed', flag: 'estimated' } : second)
  time += 300 + second.durationMs
  addEntry(work, turn, time + 100, {
    event: events.answer,
    response_summary: said.answer,
    stop_reason: tool === 'claude' ? 'end_turn' : null,
  })
}

const eventNames: Readonly<
  Record<
    Tool,
    { readonly prompt: string; readonly tool: string; readonly failure: string; readonly answer: string }
  >
> = {
  claude: { prompt: 'UserPromptSubmit', tool: 'PostToolUse', failure: 'PostToolUseFailure', answer: 'Stop' },
  codex: { prompt: 'UserPromptSubmit', tool: 'PostToolUse', failure: 'PostToolUse', answer: 'Stop' },
  gemini: { prompt: 'BeforeAgent', tool: 'AfterTool', failure: 'AfterTool', answer: 'AfterAgent' },
}

function addEntry(
  work: MemberWork,
  { team, member, tool, session, model, writer }: Turn,
  at: number,
  members: Readonly<Record<string, unknown>>,
): void {
  writer.count += 1
  work.entries.push({
    at,
    members: {
      ts: new Date(at).toISOString(),
      tool,
      session_id: session,
      repo: team.id,
      branch: 'main',
      commit: writer.id.slice(0, 7),
      student: emailOf(team, member),
      model: model.id,
      ...members,
      recorder: { id: writer.id, n: writer.count },
    },
  })
}

function buildCall(turn: Turn, at: number, texts: SpokenTexts): PastCall {
  const { member, tool, session, model, turnsBefore, random } = turn
  const input = Math.round((6000 + turnsBefore * 5000) * (0.7 + 0.6 * random()))
  const cached = turnsBefore === 0 ? 0 : Math.round(input * 0.7)
  const output = Math.round(150 + 900 * random() ** 2)
  const reasoning = random() < 0.4 ? Math.round(600 * random()) : 0
  const units = { inputText: input - cached, cachedInput: cached, outputText: output, reasoning }
  const firstByteMs = Math.round(350 + 700 * random() ** 2)
  return {
    at,
    member,
    tool,
    session,
    modelId: model.id,
    outcome: 'completed',
    code: null,
    status: null,
    refusal: null,
    units,
    cost: model.costOf(units),
    flag: null,
    texts,
    durationMs: firstByteMs + Math.round(output * 9),
    firstByteMs,
    count: 1,
    lastAt: at,
  }
}

/** Max input tokens of a call: above this, a higher price tier may apply. */
const maxInput = 150_000
/** Some calls reach their max size, so each round spreads the remainder over the other calls. */
const maxRounds = 12

/** Scales the tokens of the same work, so that it costs close to `target` nano-dollars and never more. */
function scaleCosts(calls: readonly PastCall[], target: number, models: readonly PastModel[]): PastCall[] {
  let scaled = [...calls]
  for (let round = 0; round < maxRounds; round += 1) {
    const sum = scaled.reduce((total, { cost }) => total + cost, 0)
    if (sum <= target && sum > target * 0.999) break
    scaled = scaled.map(call => scaleCall(call, target / Math.max(1, sum), models))
  }
  return scaled
}

function scaleCall(call: PastCall, factor: number, models: readonly PastModel[]): PastCall {
  const { inputText = 0, cachedInput = 0, outputText = 0, reasoning = 0 } = call.units
  const own = Math.min(factor, maxInput / Math.max(1, inputText + cachedInput))
  const scale = (tokens: number) => Math.floor(tokens * own)
  const units = {
    inputText: Math.max(1, scale(inputText)),
    cachedInput: scale(cachedInput),
    outputText: Math.max(1, scale(outputText)),
    reasoning: scale(reasoning),
  }
  return { ...call, units, cost: models.find(({ id }) => id === call.modelId)?.costOf(units) ?? 0 }
}

function planPushes(
  team: PastTeam,
  member: number,
  entries: readonly PastEntry[],
  now: number,
): { readonly pushes: PastPush[]; readonly recorder: PastRecorder } {
  const until = team.role === 'recorder_silent' ? now - silentMs : now
  const pushes: PastPush[] = []
  let waiting: PastEntry[] = []
  const push = (at: number) => {
    pushes.push({ at, member, entries: waiting })
    waiting = []
  }
  const sent = entries.filter(({ at }) => at < until)
  for (const entry of sent) {
    waiting.push(entry)
    const [first] = waiting
    if (first !== undefined && entry.at - first.at > pushEveryMs) push(entry.at + 2000)
  }
  const last = sent.at(-1)
  if (waiting.length > 0 && last !== undefined) push(last.at + 2000)
  const unsent = entries.slice(sent.length)
  return {
    pushes,
    recorder: {
      member,
      cloneId: cloneIdOf(team, member),
      seenAt: pushes.at(-1)?.at ?? now,
      unsent: unsent.length,
      oldestAt: unsent[0]?.at ?? null,
    },
  }
}

export function emailOf({ members, id }: PastTeam, member: number): string {
  const name = (members[member] ?? '').toLowerCase().replaceAll(/[^a-z]+/g, '.')
  return `${name}@${id}.example`
}

/** 8 hex digits, as recorders name clones. */
function cloneIdOf({ id }: PastTeam, member: number): string {
  let hash = 0x811c9dc5
  for (const letter of `${id} ${member}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0
  return hash.toString(16).padStart(8, '0')
}

function newSessionId(random: () => number): string {
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => pick([...'0123456789abcdef'], random)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
}
