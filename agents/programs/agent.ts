// What the harness must know about an AI coding tool to run it unattended, with a scripted model or on a gateway.
import type { ToolName } from '../../packages/recorder/src/tools/tool.ts'
import type { Step } from '../model-server/script.ts'
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
  readonly shell: (call: ShellCall) => Extract<Step, { kind: 'call' }>
  /** The `tool_name` of the entry of such a call. */
  readonly shellName: string
  /** Gives a task to a subagent; null if that needs a person. */
  readonly delegate: ((prompt: string) => Extract<Step, { kind: 'call' }>) | null
  /** Tool calls for which it runs no hook, with the entry of each. */
  readonly unreported: (root: string) => readonly UnreportedCall[]
  /** How a subagent ends. */
  readonly finish: (answer: string) => Step
  /** The names of its events. */
  readonly events: {
    readonly start: string | null
    readonly prompt: string
    readonly call: string
    /** The end of a turn, with the answer. */
    readonly stop: string
    readonly end: string | null
    /** What a subagent adds besides its tool calls. */
    readonly subagent: (prompt: string, answer: string) => readonly ExpectedEntry[]
  }
}

export type UnreportedCall = {
  readonly step: Extract<Step, { kind: 'call' }>
  readonly entry: ExpectedEntry
}

/** What an entry must say. Members that are left out may have any value. */
export type ExpectedEntry = {
  readonly event: string
  readonly prompt?: string
  readonly toolName?: string
  /** The whole command in its `tool_input`. */
  readonly command?: string
  /** A text that its `tool_response` must contain. */
  readonly output?: string
  /** A text that its `tool_error` must contain. */
  readonly error?: string
  readonly response_summary?: string
  readonly stop_reason?: string
}
