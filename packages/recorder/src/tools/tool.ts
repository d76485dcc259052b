// What the recorder knows about one AI tool; each tool is one such record.
import type { ReadText } from '../git/read-text.ts'
import type { Files } from '../spool/files.ts'
import type { Notes } from '../spool/notes.ts'
import type { Transcripts } from './transcripts.ts'

/** The values of `tool` (spec 6), in the order of its table. */
export const toolNames = ['claude', 'cursor', 'codex', 'gemini', 'copilot', 'antigravity'] as const

export type ToolName = (typeof toolNames)[number]

/** What the tool sends on standard input. Other people's programs write it: nothing in it is certain. */
export type Payload = Readonly<Record<string, unknown>>

export type Surroundings = {
  /** Read first of all: most tools give no time of their own. */
  readonly now: Date
  readonly home: string
  readonly workingFolder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly readText: ReadText
  readonly transcripts: Transcripts
}

/** The members of an entry that say what happened; one that the tool did not give is null (spec 2.10). */
export type EventFields = {
  readonly model?: string | null
  readonly prompt?: string | null
  readonly tool_name?: string | null
  readonly tool_input?: string | object | null
  readonly tool_response?: string | null
  readonly tool_error?: string | object | null
  readonly response_summary?: string | null
  readonly stop_reason?: string | null
}

export type MappedEvent = {
  readonly ts: Date
  readonly sessionId: string
  readonly fields: EventFields
  /** The same thing can be found in a transcript later: it goes into one entry only, and this one is then written without it. */
  readonly once?: { readonly key: string; readonly otherwise: EventFields }
  /** A transcript that may give missing members later, before the entry is first sent. */
  readonly completeFrom?: string
}

/** What an entry is built from, beside the facts of its repository. */
export type HappenedEvent = {
  readonly ts: Date
  readonly tool: ToolName
  readonly event: string
  readonly sessionId: string
  readonly fields: EventFields
}

export type Tool = {
  readonly name: ToolName
  /** The names in spec 6, in its order. */
  readonly events: readonly string[]
  /** Where hooks of ours may be installed, the project's file first. */
  readonly hookFiles: (root: string, home: string) => string[]
  /** The variable in which it tells its hooks the folder that the session was started in; null where it tells none. */
  readonly projectVariable: string | null
  /** Folders the event may belong to, the likeliest first. */
  readonly findFolders: (payload: Payload, surroundings: Surroundings) => string[]
  readonly mapEvent: (
    event: string,
    payload: Payload,
    surroundings: Surroundings,
    notes: Notes,
  ) => MappedEvent
  /**
   * The settings of the user, whose hooks run wherever it is started; only where it does not look for the project's from a subfolder.
   * It runs a command that stands in both only once.
   */
  readonly userSettings?: (home: string, environment: Surroundings['environment']) => string
  /** Sessions that were started in a folder below `root`, where it does not look for the hooks of the project. */
  readonly findSessionsBelow?: (sources: KeptSessionSources) => KeptSession[]
  /** How members that were missing when the hook ran are found in the transcript before the entry is first sent. */
  readonly late?: LateMembers
}

/** A session by what the tool itself keeps of it. */
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
  /** Unix ms; what was last written before it does not count. */
  readonly since: number
}

export type LateMembers = {
  /** Each line that tells anything holds one of these texts. */
  readonly marks: readonly string[]
  /** What is kept of such a line for all entries that wait; null: nothing. */
  readonly digest: (line: TranscriptLine) => TranscriptLine | null
  /** What the transcript has for an entry by now; only members that are null in it are taken. */
  readonly complete: (entry: WaitingEntry, lines: readonly TranscriptLine[]) => EventFields
}

/** An entry that has not been sent, as far as its transcript is concerned. */
export type WaitingEntry = {
  readonly event: string
  /** Unix ms. */
  readonly ts: number
  readonly sessionId: string
  /** The final answer as the hook was told it, cut to what an entry may have; null: it was not. */
  readonly summary: string | null
}

/** One line of a transcript in JSON. */
export type TranscriptLine = Readonly<Record<string, unknown>>
