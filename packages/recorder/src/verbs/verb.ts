// What a verb of the command is made of, and what it may use.
import type { FactSources } from '../git/read-facts.ts'
import type { WorkFiles } from '../install/files/work-files.ts'
import type { LockOwner } from '../spool/lock.ts'
import type { SpoolDependencies } from '../spool/spool.ts'
import type { Line } from '../terminal/paint.ts'
import type { Screen } from '../terminal/screen.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Transcripts } from '../tools/transcripts.ts'

/** What a verb may use, as this process gives it. */
export type VerbSurroundings = FactSources &
  SpoolDependencies &
  Pick<LockOwner, 'host' | 'isAlive'> & {
    readonly workingFolder: string
    readonly transcripts: Transcripts
    readonly version: string
    /** What starts this program again: the runtime and the recorder's own file, or the stand-alone recorder. */
    readonly command: readonly [string, ...string[]]
    /** As Node names it: `linux`, `darwin`, `win32`. */
    readonly platform: string
    readonly terminal: Terminal
    readonly workFiles: WorkFiles
    /** Milliseconds since this process began. */
    readonly elapsedMs: () => number
    readonly sleep: (milliseconds: number) => Promise<void>
    readonly print: (text: string) => void
    readonly printError: (text: string) => void
    readonly screen: Screen
    /** Shows a text as it is, a long one on a terminal through a pager. Never rejects. */
    readonly showPage: (text: string) => Promise<void>
  }

/** The same, with what keeps the terminal safe from what is printed. */
export type VerbContext = Omit<VerbSurroundings, 'showPage'> & {
  readonly showPage: (lines: readonly Line[]) => Promise<void>
}

export type FlagKind = 'switch' | 'text'

export type GivenArguments = {
  readonly positionals: readonly string[]
  /** A switch that was given is an empty text. */
  readonly flags: Readonly<Record<string, string>>
}

/** Answers the exit code: 0 done; 1 refused, or a check failed; 2 wrong usage. */
export type RunVerb = (context: VerbContext, given: GivenArguments) => Promise<0 | 1 | 2>

export type Verb = {
  readonly usage: string
  readonly summary: string
  /** Flag without its dashes → what follows it; `json` and `help` are known everywhere. */
  readonly flags: Readonly<Record<string, FlagKind>>
  readonly mostPositionals: number
  readonly load: () => Promise<RunVerb>
}
