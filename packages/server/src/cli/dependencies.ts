// Everything the command line needs from the world around it, so that tests run it in process.

import type { Backups } from '../backup/backups.ts'

/** A file that has its name only once it is whole. */
export type OutputFile = {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** On disk, under its name. */
  readonly keep: () => Promise<void>
  /** As if it had never been. */
  readonly discard: () => Promise<void>
}

export type ProgramDependencies = {
  readonly fetch: (address: string, init: BunFetchRequestInit) => Promise<Response>
  readonly writeOutput: (text: string) => void
  /** To standard output as it is. Resolves when there is room for more; to false when nobody reads any more. */
  readonly writeBytes: (bytes: Uint8Array) => Promise<boolean>
  /** Rejects as `open` of Node does: with EEXIST for a file that is there and may not be replaced. */
  readonly createFile: (path: string, mayReplace: boolean) => Promise<OutputFile>
  readonly isTerminal: { readonly output: boolean; readonly errors: boolean }
  readonly wait: (milliseconds: number) => Promise<unknown>
  /** Monotonic ms. */
  readonly stopwatch: () => number
  readonly writeError: (text: string) => void
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Rejects as `readFile` of Node does. */
  readonly readTextFile: (path: string) => Promise<string>
  /** Runs the server; resolves or goes on as the server likes. */
  readonly serve: (
    variables: Readonly<Record<string, string | undefined>>,
    options: { readonly takeOver: boolean },
  ) => Promise<void>
  /** Only for the verbs of backups: the other commands start faster without them. */
  readonly loadBackups: () => Promise<Backups>
  readonly version: string
}
