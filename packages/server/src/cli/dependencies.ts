// Everything the command line needs from the world around it, so that tests run it in process.

export type ProgramDependencies = {
  readonly fetch: (address: string, init: BunFetchRequestInit) => Promise<Response>
  readonly writeOutput: (text: string) => void
  readonly writeError: (text: string) => void
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Rejects as `readFile` of Node does. */
  readonly readTextFile: (path: string) => Promise<string>
  /** Runs the server; resolves or goes on as the server likes. */
  readonly serve: (
    variables: Readonly<Record<string, string | undefined>>,
    options: { readonly takeOver: boolean },
  ) => Promise<void>
  readonly version: string
}
