// What the harness must know about an AI coding tool to run it unattended, with a scripted model or on a gateway.
import type { ToolName } from '../../packages/recorder/src/tools/tool.ts'
import type { Call, PlannedStep, Script } from '../model-server/script.ts'
import type { PinnedProgram } from './pinned-program.ts'

export type AgentPlaces = {
  /** The home of the pretended user. */
  readonly home: string
  /** Top of the work tree. */
  readonly root: string
  /** Without a slash at its end and without a version. */
  readonly modelUrl: string
  readonly key: string
  readonly model: string
  readonly write: (path: string, text: string) => void
}

export type ShellCall = {
  readonly command: string
  /** The folder, relative to the root, in which the tool should run the command, if the tool supports that. */
  readonly folder?: string
}

/** How a program is run. */
export type AgentProgram = {
  readonly program: PinnedProgram
  /** Writes the settings of a person: the model's address, and the trust that a person would give. */
  readonly prepare: (places: AgentPlaces) => void
  readonly variables: (places: AgentPlaces) => Readonly<Record<string, string>>
  /** `installed` is the folder that `installProgram` returned. */
  readonly command: (installed: string, prompt: string, model: string) => readonly string[]
}

/** How it is run, and what the recorder must make of it. */
export type Agent = AgentProgram & {
  readonly tool: ToolName
  /** Whether it runs the hooks of the project when it was started in a subfolder. */
  readonly runsHooksBelow: boolean
  readonly shell: (call: ShellCall) => Call
  /** The `tool_name` of the entry of such a call. */
  readonly shellName: string
  /** How each activity is played; a text says why it cannot be. */
  readonly plays: (places: PlayPlaces) => Readonly<Record<Activity, Play | string>>
  /** What the entry of a command says that was stopped by a signal, or by the key in the program's own interface; a text says why none is written. */
  readonly stopped: {
    readonly signal: ExpectedEntry | string
    readonly escape: ExpectedEntry | string
  }
  /** Its own interface, in which a person works. */
  readonly screen: {
    readonly command: (words: readonly string[], prompt: string) => readonly string[]
    /** What stops it, and what it then shows, without white space. */
    readonly stop: { readonly keys: string; readonly shows: RegExp }
    readonly quit: string
  }
  /** The names of its events. */
  readonly events: {
    readonly start: string | null
    readonly prompt: string
    readonly call: string
    /** The end of a turn, with the answer. */
    readonly stop: string
    readonly end: string | null
    /** What it adds when an answer was stopped in its own interface. */
    readonly afterStopped?: readonly ExpectedEntry[]
  }
}

/** What people do with an agent, besides commands. */
export const activities = [
  'edits',
  'subagent',
  'background-subagent',
  'background-command',
  'image',
  'server-tool',
  'unreported',
] as const

export type Activity = (typeof activities)[number]

export type PlayPlaces = Pick<AgentPlaces, 'home' | 'root'>

/** One session with an activity. */
export type Play = {
  /** What the model calls, and the entry that each call must leave. */
  readonly calls: readonly PlayedCall[]
  /** What is typed, if it matters; and what is recorded of it, if the program adds something. */
  readonly prompt?: string
  readonly recordedPrompt?: RegExp
  /** Further entries. */
  readonly entries?: readonly ExpectedEntry[]
  /** Conversations besides the main one. */
  readonly scripts?: readonly Script[]
  /** Files that are there before. */
  readonly given?: Readonly<Record<string, string | Uint8Array>>
  /** Files that the session changes, with their texts at its end. */
  readonly changed?: Readonly<Record<string, string>>
  /** Changes the words of the command. */
  readonly command?: (words: readonly string[]) => readonly string[]
  /** A text that must reach the model with the prompt. */
  readonly sent?: string
}

export type PlayedCall = { readonly step: PlannedStep; readonly entry: ExpectedEntry }

/** What an entry must say. Members that are left out may have any value. */
export type ExpectedEntry = {
  readonly event: string
  readonly prompt?: string | RegExp
  readonly toolName?: string
  /** A text that its `tool_input` must contain. */
  readonly input?: string
  /** The whole command in its `tool_input`. */
  readonly command?: string
  /** A text that its `tool_response` must contain. */
  readonly output?: string
  /** A text that its `tool_error` must contain. */
  readonly error?: string
  readonly response_summary?: string
  readonly stop_reason?: string
  /** The program may run the hook several times. */
  readonly mayRepeat?: boolean
}
