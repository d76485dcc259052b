// Collects what a team's entries say about each session: where they are, who worked, what came late. For each recorder, tracks which of its
// numbers have arrived.
import { isAutomaticPrompt } from '@fairgate/contracts/logbook/automatic-prompt.ts'
import type { EntryFacts } from './session-log.ts'
import { nameToolFamily } from './tool-families.ts'

/** The naming fields of a stored entry, besides those that the join reads. */
export type EntryLabels = {
  readonly seq: number
  readonly event: string | null
  /** The tool as the entry spells it. */
  readonly tool: string | null
  readonly student: string | null
  readonly repo: string | null
  readonly branch: string | null
  readonly tokenId: string
  readonly commit: string | null
  /** It reports what a tool did; `isFailure`: that it failed. */
  readonly isToolCall: boolean
  readonly isFailure: boolean
  /** The clone's recorder and the number it gave the entry; null if another program wrote it. */
  readonly recorder: { readonly id: string; readonly n: number } | null
}

export type LabelledEntry = EntryFacts & EntryLabels

/** Position of an entry: when it happened (`at` of its facts, with fractions), and its number. */
export type EntryPlace = { readonly at: number; readonly seq: number }

export type SessionRecord = {
  /** Unlike the id, never the same for sessions of two tools. */
  readonly key: string
  readonly id: string
  /** Null for tools that are not recorded. */
  readonly tool: string | null
  /** People who worked, according to the entries and the log tokens; the first ones. */
  readonly students: readonly string[]
  readonly tokenIds: readonly string[]
  /** From the last entry that names them. */
  readonly repo: string | null
  readonly branch: string | null
  /** Prompts written by people. */
  readonly prompts: number
  /** Beginning of the earliest of them, longer than lists show it; null if there are none. */
  readonly firstPrompt: string | null
  readonly toolCalls: number
  readonly failures: number
  /** See `SessionBook.isLate`. */
  readonly late: number
  /** Ordered by time, then by number. */
  readonly places: readonly EntryPlace[]
}

/** What one tool wrote through the recorder of one clone. */
export type RecordedTool = {
  readonly tool: string
  readonly entries: number
  /** The newest entry: when it happened (Unix ms), and its event. */
  readonly lastAt: number
  readonly lastEvent: string | null
}

export type RecorderRecord = {
  /** Id that the recorder created for the clone. */
  readonly cloneId: string
  readonly students: readonly string[]
  readonly tokenIds: readonly string[]
  readonly entries: number
  /** Numbers between its lowest and highest that no entry has. */
  readonly missing: number
  readonly lastReceivedAt: number
  readonly tools: readonly RecordedTool[]
}

/** An entry that arrives sooner is never late. */
export const lateMs = 600_000
/** Entries that a recorder sends after a longer pause belong to another push. */
const pushGapMs = 60_000
/** A session has one person, a team may have some. Anything more, which only a hostile team sends, is dropped. */
const maxNames = 16
const maxRecorders = 1000
const maxTools = 32
const maxNewest = 20
/** Commits are told apart up to this number. */
const maxCommits = 5000
const maxCommitLength = 64
/** Code points of a prompt that lists show, and more of it, so that a name at the end is known as one. */
export const shownPromptLength = 200
export const sparePromptLength = 60
const maxPromptLength = shownPromptLength + sparePromptLength
/** A first prompt takes as much memory as this many entries. */
const promptSize = 3

type Session = {
  readonly id: string
  readonly tool: string | null
  readonly students: Set<string>
  readonly tokenIds: Set<string>
  repo: string | null
  branch: string | null
  prompts: number
  first: { readonly at: number; readonly prompt: string } | null
  toolCalls: number
  failures: number
  late: number
  readonly places: EntryPlace[]
  isInOrder: boolean
  /** The last numbers, ascending. */
  readonly newest: number[]
}

type Recorder = {
  readonly students: Set<string>
  readonly tokenIds: Set<string>
  entries: number
  first: number
  last: number
  lastReceivedAt: number
  /** When the newest push began, and the one before it. */
  pushedAt: number
  pushedBeforeAt: number
  /** The highest number that came before the newest push. */
  lastBefore: number
  readonly tools: Map<string, { entries: number; lastAt: number; lastEvent: string | null }>
}

/** Entries must be added in the order of their numbers. */
export class SessionBook {
  readonly #sessions = new Map<string, Session>()
  readonly #byId = new Map<string, string[]>()
  readonly #recorders = new Map<string, Recorder>()
  readonly #commits = new Set<string>()
  readonly #late = new Set<number>()
  #size = 0

  /** Number of entries and sessions in memory. */
  get size(): number {
    return this.#size
  }

  add(entry: LabelledEntry): void {
    const isInTurn = this.#noteRecorder(entry)
    const isLate = !isInTurn && entry.receivedAt - entry.at >= lateMs
    if (isLate) {
      this.#late.add(entry.seq)
      this.#size += 1
    }
    if (entry.commit !== null && this.#commits.size < maxCommits)
      this.#commits.add(entry.commit.slice(0, maxCommitLength))
    if (entry.sessionId === null) return
    const session = this.#openSession(nameToolFamily(entry.tool), entry.sessionId)
    const last = session.places.at(-1)
    if (last !== undefined && last.at > entry.at) session.isInOrder = false
    session.places.push({ at: entry.at, seq: entry.seq })
    session.newest.push(entry.seq)
    if (session.newest.length > 2 * maxNewest) session.newest.splice(0, maxNewest)
    addName(session.students, entry.student)
    addName(session.tokenIds, entry.tokenId)
    session.repo = entry.repo ?? session.repo
    session.branch = entry.branch ?? session.branch
    if (entry.prompt !== null && !isAutomaticPrompt(entry.prompt))
      this.#notePrompt(session, entry.at, entry.prompt)
    if (entry.isToolCall) session.toolCalls += 1
    if (entry.isFailure) session.failures += 1
    if (isLate) session.late += 1
    this.#size += 1
  }

  /**
   * True for an entry that arrived ten minutes or more after it happened, without the number of a recorder, or although its recorder had sent
   * a later entry before, or had sent others ten minutes after it. Recorders send at a push, so whatever comes with the first one is in time.
   */
  isLate(seq: number): boolean {
    return this.#late.has(seq)
  }

  find(key: string): SessionRecord | null {
    const session = this.#sessions.get(key)
    if (session === undefined) return null
    const { isInOrder: _, newest: __, first, students, tokenIds, ...rest } = session
    if (!session.isInOrder) {
      session.places.sort((left, right) => left.at - right.at || left.seq - right.seq)
      session.isInOrder = true
    }
    return {
      ...rest,
      key,
      firstPrompt: first?.prompt ?? null,
      students: [...students],
      tokenIds: [...tokenIds],
    }
  }

  /** The highest numbers of its entries, at most 20. */
  newestOf(key: string): readonly number[] {
    return this.#sessions.get(key)?.newest.slice(-maxNewest) ?? []
  }

  /** One key for each tool that has a session with this id. */
  keysOf(id: string): readonly string[] {
    return this.#byId.get(id) ?? []
  }

  /** Number of different commits that the entries name, at most 5000. */
  get commits(): number {
    return this.#commits.size
  }

  recorders(): readonly RecorderRecord[] {
    return [...this.#recorders].map(([cloneId, { students, tokenIds, tools, first, last, ...rest }]) => ({
      cloneId,
      students: [...students],
      tokenIds: [...tokenIds],
      entries: rest.entries,
      missing: Math.max(0, last - first + 1 - rest.entries),
      lastReceivedAt: rest.lastReceivedAt,
      tools: [...tools].map(([tool, own]) => ({ tool, ...own })),
    }))
  }

  #openSession(tool: string | null, id: string): Session {
    const key = sessionKey(tool, id)
    const known = this.#sessions.get(key)
    if (known !== undefined) return known
    const opened: Session = {
      id,
      tool,
      students: new Set(),
      tokenIds: new Set(),
      repo: null,
      branch: null,
      prompts: 0,
      first: null,
      toolCalls: 0,
      failures: 0,
      late: 0,
      places: [],
      isInOrder: true,
      newest: [],
    }
    this.#sessions.set(key, opened)
    this.#byId.set(id, [...this.keysOf(id), key])
    this.#size += 1
    return opened
  }

  #notePrompt(session: Session, at: number, prompt: string): void {
    session.prompts += 1
    if (session.first !== null && session.first.at <= at) return
    if (session.first === null) this.#size += promptSize
    // A copy: a part of a text keeps the whole of it in memory.
    const characters = [...prompt.slice(0, 2 * maxPromptLength)].slice(0, maxPromptLength)
    session.first = { at, prompt: characters.join('') }
  }

  /** Returns true if the entry came with the first push after it. */
  #noteRecorder({ recorder, student, tokenId, tool, event, at, receivedAt }: LabelledEntry): boolean {
    if (recorder === null) return false
    const known = this.#recorders.get(recorder.id)
    if (known === undefined && this.#recorders.size >= maxRecorders) return false
    const own: Recorder = known ?? {
      students: new Set(),
      tokenIds: new Set(),
      entries: 0,
      first: recorder.n,
      last: recorder.n,
      lastReceivedAt: receivedAt,
      pushedAt: receivedAt,
      pushedBeforeAt: 0,
      lastBefore: 0,
      tools: new Map(),
    }
    this.#recorders.set(recorder.id, own)
    addName(own.students, student)
    addName(own.tokenIds, tokenId)
    own.entries += 1
    if (receivedAt - own.lastReceivedAt >= pushGapMs) {
      own.pushedBeforeAt = own.pushedAt
      own.lastBefore = own.last
      own.pushedAt = receivedAt
    }
    const isInTurn = recorder.n > own.lastBefore && at > own.pushedBeforeAt - lateMs
    own.first = Math.min(own.first, recorder.n)
    own.last = Math.max(own.last, recorder.n)
    own.lastReceivedAt = Math.max(own.lastReceivedAt, receivedAt)
    const name = tool ?? ''
    const seen = own.tools.get(name)
    if (seen === undefined && own.tools.size >= maxTools) return isInTurn
    const isNewest = seen === undefined || at >= seen.lastAt
    own.tools.set(name, {
      entries: (seen?.entries ?? 0) + 1,
      lastAt: isNewest ? at : seen.lastAt,
      lastEvent: isNewest ? event : seen.lastEvent,
    })
    return isInTurn
  }
}

/** `tool`: the name of a recorded tool, else null. */
export function sessionKey(tool: string | null, id: string): string {
  return `${tool ?? ''}:${id}`
}

function addName(names: Set<string>, name: string | null): void {
  if (name !== null && names.size < maxNames) names.add(name)
}
