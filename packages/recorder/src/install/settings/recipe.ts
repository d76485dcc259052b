// How hooks are written into the settings of one AI tool; each tool is one such record.
import type { ReadText } from '../../git/read-text.ts'
import type { ToolName } from '../../tools/tool.ts'

/** The command of one event, as a line for a POSIX shell and one for PowerShell. */
export type HookCommand = {
  readonly line: string
  readonly powershell: string
  /** For bash: does nothing where the start script is gone, and needs no shell beside the recorder while it runs. */
  readonly guarded: string
}

export type Places = {
  /** Top of the work tree. */
  readonly root: string
  readonly home: string
  readonly readText: ReadText
  /** Some tools are told by a variable where their settings are. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

export type Trust = {
  /** Whether the tool may run hooks of this project; null where that cannot be known. */
  readonly isTrusted: boolean | null
  /** Why not; null otherwise. */
  readonly reason: string | null
}

export const unknownTrust: Trust = { isTrusted: null, reason: null }
export const fullTrust: Trust = { isTrusted: true, reason: null }

export type Recipe = {
  readonly tool: ToolName
  /** The file of the project, from its root. */
  readonly file: readonly string[]
  /** The tool reads no comments and no commas before a closing bracket. */
  readonly isStrict: boolean
  /** Members that the root must have beside ours. */
  readonly rootMembers: Readonly<Record<string, unknown>>
  /** Names that lead to the list of an event's hooks. */
  readonly listOf: (event: string) => readonly string[]
  readonly item: (event: string, command: HookCommand) => object
  /** What shows that the tool is in use: files or folders from the project's root and from home, and programs. */
  readonly signs: {
    readonly project: readonly string[]
    readonly home: readonly string[]
    readonly programs: readonly string[]
  }
  readonly judgeTrust: (places: Places) => Trust
  /** Where the tool keeps what `judgeTrust` goes by. An event from before a change of one of these proves nothing any more. */
  readonly trustFiles: (places: Places) => readonly string[]
  /** The work tree whose hooks the tool reads, where it is not the one that it runs in. */
  readonly rootOf?: (places: Pick<Places, 'root' | 'readText'>) => string
  /** A setting of the user that keeps all hooks from running; null when there is none. */
  readonly findSwitchedOff: (places: Places) => string | null
  /** What a person must still do; `no full trust is known then. */
  readonly humanStep: string | null
}

/** Seconds a hook may take before the tool gives it up; ours takes a tenth of one. */
export const hookTimeoutSeconds = 10
