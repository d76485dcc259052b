// What the recorder knows about an AI tool. Each tool has one such record.
import type { ReadText } from '../git/find-repository.ts'
import type { JsonObject } from '../json/members.ts'
import type { Files } from '../spool/files.ts'
import type { Notes } from '../spool/notes.ts'
import type { Transcripts } from './transcripts.ts'

/** The values of `tool` (spec 6), in the order of its table. */
export const toolNames = ['claude', 'cursor', 'codex', 'gemini', 'copilot', 'antigravity'] as const

export type ToolName = (typeof toolNames)[number]

/** What the tool sends on standard input. Other people's programs write it, so nothing in it is certain. */
export type Payload = JsonObject

export type Surroundings = {
  /** Read first, because most tools do not send a time. */
  readonly now: Date
  readonly home: string
  readonly workingFolder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly readText: ReadText
  readonly transcripts: Transcripts
}

/** The members of an entry that say what happened. A member that the tool did not give is null (spec 2.10). */
export type EventFields = {
  readonly model?: string | null
  readonly prompt?: string | null
  readonly tool_name?: string | null
  readonly tool_input?: string | object | null
  readonly tool_response?: string | null
  readonly tool_error?: string | object | null
  readonly response_summary?: string | null
  readonly stop_reason?: string | null
  /** The members that the tool may have garbled. */
  readonly recorder_doubtful?: readonly string[]
}

export type MappedEvent = {
  readonly ts: Date
  readonly sessionId: string
  readonly fields: EventFields
  /** Set when the event can also be found in a transcript. `otherwise`: what is put when the scan carried it; null for nothing. */
  readonly once?: { readonly key: string; readonly otherwise: EventFields | null }
  /** A transcript in which the scan finds what no hook reports. */
  readonly session?: SessionTranscript
  /** A transcript that may provide missing members later, before the entry is first sent. */
  readonly completeFrom?: string
}

export type SessionTranscript = {
  readonly transcript: string
  /** Named by the tool; null if the transcript itself names it. */
  readonly model: string | null
  /** The turn has ended, so the hook looks at once. */
  readonly isTurnEnd: boolean
  /** From which byte and from when on (Unix ms) it counts, if it was not known before. */
  readonly begin: () => { readonly from: number; readonly notedAt: number }
}

/** Where a session was started. It does not change while the session goes on. */
export type SessionPlaces = {
  /** The folders that its events belong to if they do not name others. */
  readonly folders: readonly string[]
  /** Where the session was started, if the tool says so. */
  readonly projectFolder: string | null
  /** The recorder's folder whose start script the tool ran; null if the recorder was started in another way. */
  readonly calledFolder: string | null
  readonly workingFolder: string
}

/** What an entry is built from, besides the facts of its repository. The recorder itself has one, when it proves a connection. */
export type HappenedEvent = {
  readonly ts: Date
  readonly tool: ToolName | 'fairgate-recorder'
  readonly event: string
  readonly sessionId: string
  readonly fields: EventFields
}

export type Tool = {
  readonly name: ToolName
  /** The names and order of spec 6. */
  readonly events: readonly string[]
  /** The files that may contain our hooks, the project's file first. */
  readonly hookFiles: (root: string, home: string) => string[]
  /** The variable that gives its hooks the folder in which the session was started; null if there is none. */
  readonly projectVariable: string | null
  /** The folders that the event may belong to, the most likely first. */
  readonly findFolders: (payload: Payload, surroundings: Surroundings) => string[]
  readonly mapEvent: (
    event: string,
    payload: Payload,
    surroundings: Surroundings,
    notes: Notes,
  ) => MappedEvent
  /**
   * The user's settings, whose hooks run wherever the tool is started. Only for tools that do not find the project's hooks from a
   * subfolder. They run a command that is in both files only once.
   */
  readonly userSettings?: (home: string, environment: Surroundings['environment']) => string
  /** Finds sessions that were started in a folder below `root`, where the tool does not look for the project's hooks. */
  readonly findSessionsBelow?: (sources: KeptSessionSources) => KeptSession[]
  /** What happened according to the transcript without any hook being run. */
  readonly unreported?: UnreportedEvents
  /** How to find members in the transcript that were missing when the hook ran, before the entry is first sent. */
  readonly late?: LateMembers
}

/** A session, from what the tool itself keeps about it. */
export type KeptSession = {
  readonly sessionId: string
  /** Where it was started. */
  readonly folder: string
}

export type KeptSessionSources = {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Top of the work tree. */
  readonly root: string
  readonly readText: ReadText
  readonly files: Pick<Files, 'list' | 'modifiedAt'>
  readonly transcripts: Transcripts
  /** Unix ms. Files last written before this do not count. */
  readonly since: number
}

export type LateMembers = {
  /** Every useful line contains one of these texts. */
  readonly marks: readonly string[]
  /** What to keep of such a line for all waiting entries; null for nothing. */
  readonly digest: (line: TranscriptLine) => TranscriptLine | null
  /** What the transcript now has for an entry. Only members that are null in the entry are used. */
  readonly complete: (entry: WaitingEntry, lines: readonly TranscriptLine[]) => EventFields
}

export type UnreportedEvents = {
  /** Every useful line contains one of these texts. */
  readonly marks: readonly string[]
  /** `state` is what the previous lines of the same transcript left, as JSON; an empty object at first. */
  readonly find: (
    lines: readonly TranscriptLine[],
    session: { readonly sessionId: string; readonly model: string | null },
    state: Payload,
  ) => { readonly events: FoundEvent[]; readonly state: object }
}

export type FoundEvent = Omit<HappenedEvent, 'sessionId'> & {
  /** The same for the hook, should one report it. */
  readonly key: string
  /** It is left out if a hook has claimed this key. */
  readonly unlessClaimed?: string
  /** The folder in which it happened, if the line says so. */
  readonly folder: string | null
}

export const callKeyPrefix = 'call-'

/** Identifies a tool call for both the hook and the scan. */
export function callKey(tool: ToolName, sessionId: string, callId: string): string {
  return `${callKeyPrefix}${tool}-${sessionId}-${callId}`
}

/** What the lookup in a transcript needs to know of an entry that has not been sent. */
export type WaitingEntry = {
  readonly event: string
  /** Unix ms. */
  readonly ts: number
  readonly sessionId: string
  /** The final answer that the hook received, cut to the length that an entry may have; null if it received none. */
  readonly summary: string | null
}

/** One JSON line of a transcript. */
export type TranscriptLine = JsonObject
