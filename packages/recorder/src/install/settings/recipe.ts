// Hook recipe: how hooks are written to the settings of an AI tool. Each tool has one.
import type { ReadText } from '../../git/find-repository.ts'
import type { ToolName } from '../../tools/tool.ts'
import type { JsonExtra } from '../jsonc/jsonc.ts'

/** The command for one event, as a line for a POSIX shell and one for PowerShell. */
export type HookCommand = {
  readonly line: string
  readonly powershell: string
  /** For bash. It does nothing if the start script is gone, and leaves no shell waiting while the recorder runs. */
  readonly guarded: string
}

export type Places = {
  /** Top of the work tree. */
  readonly root: string
  readonly home: string
  readonly readText: ReadText
  /** For some tools a variable says where their settings are. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

export type Trust = {
  /** Whether the tool may run hooks of this project; null if that cannot be known. */
  readonly isTrusted: boolean | null
  /** Why it may not; null otherwise. */
  readonly reason: string | null
}

export const unknownTrust: Trust = { isTrusted: null, reason: null }
export const fullTrust: Trust = { isTrusted: true, reason: null }

/** What shows that a tool is in use: files or folders from the project's root and from home, and programs. */
export type Signs = {
  readonly project: readonly string[]
  readonly home: readonly string[]
  readonly programs: readonly string[]
}

export type Recipe = {
  readonly tool: ToolName
  /** The project's file, relative to its root. */
  readonly file: readonly string[]
  /** What it takes in this file besides JSON. With anything else it ignores the whole file, or does not start. */
  readonly accepts: readonly JsonExtra[]
  /** Further members that the root must have. */
  readonly rootMembers: Readonly<Record<string, unknown>>
  /** The names that lead to the list of an event's hooks. */
  readonly listOf: (event: string) => readonly string[]
  readonly item: (event: string, command: HookCommand) => object
  readonly signs: Signs
  readonly judgeTrust: (places: Places) => Trust
  /** The files that `judgeTrust` reads. An event from before a change to one of them proves nothing. */
  readonly trustFiles: (places: Places) => readonly string[]
  /** The work tree whose hooks the tool reads, if that is not the one it runs in. */
  readonly rootOf?: (places: Pick<Places, 'root' | 'readText'>) => string
  /** A user setting that stops all hooks from running; null when there is none. */
  readonly findSwitchedOff: (places: Places) => string | null
  /** What a person must do unless full trust is known; null when there is nothing to do. */
  readonly humanStep: string | null
}

/** How long (seconds) a hook may take before the tool gives up on it. Ours takes about a tenth of a second. */
export const hookTimeoutSeconds = 10
