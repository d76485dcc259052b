// The parts of a verb, and what it may use.
import type { FactSources } from '../git/read-facts.ts'
import type { WorkFiles } from '../install/files/work-files.ts'
import type { LockOwner } from '../spool/lock.ts'
import type { SpoolDependencies } from '../spool/spool.ts'
import type { Line } from '../terminal/paint.ts'
import type { Screen } from '../terminal/screen.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Transcripts } from '../tools/transcripts.ts'
import type { VerbHelp } from './verb-help.ts'

/** What this process provides to verbs. */
export type VerbSurroundings = FactSources &
  SpoolDependencies &
  Pick<LockOwner, 'host' | 'isAlive'> & {
    readonly workingFolder: string
    readonly transcripts: Transcripts
    readonly version: string
    /** The command that starts this program again: the runtime and the recorder's file, or the stand-alone recorder. */
    readonly command: readonly [string, ...string[]]
    /** As Node names it: `linux`, `darwin`, `win32`. */
    readonly platform: string
    readonly terminal: Terminal
    /** From the random source of the system, for secrets. */
    readonly randomBytes: (size: number) => Buffer
    readonly workFiles: WorkFiles
    /** Milliseconds since this process started. */
    readonly elapsedMs: () => number
    readonly sleep: (milliseconds: number) => Promise<void>
    readonly print: (text: string) => void
    readonly printError: (text: string) => void
    readonly screen: Screen
    /** Shows a text unchanged. A long one on a terminal goes through a pager. Never rejects. */
    readonly showPage: (text: string) => Promise<void>
  }

/** The same, with output that cannot harm the terminal. */
export type VerbContext = Omit<VerbSurroundings, 'showPage'> & {
  readonly showPage: (lines: readonly Line[]) => Promise<void>
}

export type GivenArguments = {
  readonly positionals: readonly string[]
  /** A given switch has an empty text. */
  readonly flags: Readonly<Record<string, string>>
}

/** Returns the exit code: 0 done; 1 refused, or a check failed; 2 wrong usage. `run` returns that of its program. */
export type RunVerb = (context: VerbContext, given: GivenArguments) => Promise<number>

export type Verb = {
  readonly usage: string
  readonly summary: string
  /** Its flags, and what else `--help` says. */
  readonly help: VerbHelp
  /** Switches that only the recorder itself uses. */
  readonly hidden?: readonly string[]
  /** Default: 0. */
  readonly maxPositionals?: number
  /** Everything from the first positional argument on belongs to another program. */
  readonly passesOn?: true
  readonly load: () => Promise<RunVerb>
}
