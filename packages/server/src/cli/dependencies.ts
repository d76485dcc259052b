// Everything the command line needs from the world around it, so that tests run it in process.
import type { Backups } from '../operate/backup/backups.ts'
import type { Layout } from './output/format.ts'
import type { ServeOptions } from './serve.ts'

/** A file that gets its name only when it is complete. */
export type OutputFile = {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Flushes the file and gives it its name. */
  readonly keep: () => Promise<void>
  /** Removes the written part. */
  readonly discard: () => Promise<void>
}

export type ProgramDependencies = {
  readonly fetch: (address: string, init: BunFetchRequestInit) => Promise<Response>
  readonly writeOutput: (text: string) => void
  /** Writes to standard output unchanged. Resolves when there is room for more, with false once the reader is gone. */
  readonly writeBytes: (bytes: Uint8Array) => Promise<boolean>
  /** Rejects like Node's `open`, with EEXIST for a file that exists and may not be replaced. */
  readonly createFile: (path: string, mayReplace: boolean) => Promise<OutputFile>
  /** Asks a person to confirm. Null if no one can answer. */
  readonly confirm: (question: string) => Promise<boolean | null>
  readonly isTerminal: { readonly output: boolean; readonly errors: boolean }
  readonly layout: Layout
  /** Shows a text that is longer than the terminal. False if there is no pager. */
  readonly page: (text: string) => boolean
  readonly wait: (milliseconds: number) => Promise<unknown>
  /** Monotonic ms. */
  readonly stopwatch: () => number
  readonly writeError: (text: string) => void
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Rejects like Node's `readFile`. */
  readonly readTextFile: (path: string) => Promise<string>
  /** All of standard input, as text. */
  readonly readInput: () => Promise<string>
  /** Runs the server. The promise may never resolve. */
  readonly serve: (
    variables: Readonly<Record<string, string | undefined>>,
    options: ServeOptions,
  ) => Promise<void>
  /** Loaded by the backup commands only: the others start faster without them. */
  readonly loadBackups: () => Promise<Backups>
  /** Loaded by `fairgate doctor` only. */
  readonly loadDoctor: () => Promise<typeof import('../operate/readiness/run-doctor.ts')>
  readonly version: string
}
