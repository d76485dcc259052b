// A Fairgate in its own process, for journeys that kill it, signal it or read its output.
import { fileURLToPath } from 'node:url'

const launcher = fileURLToPath(new URL('../../../../scripts/fairgate.mjs', import.meta.url))
const entry = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

export type SpawnedFairgate = {
  readonly gatewayUrl: string
  readonly logbookUrl: string
  readonly adminUrl: string
  readonly pid: number
  /** Resolves when `text` has been printed; rejects when the process ends without. */
  readonly printed: (text: string) => Promise<void>
  /** Everything printed so far. */
  readonly output: () => string
  readonly kill: (signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGUSR2') => void
  /** Resolves with the exit code. */
  readonly exited: Promise<number>
}

export type SpawnOptions = {
  readonly variables: Readonly<Record<string, string>>
  /** Started through Node and the launcher, like `npm start`; otherwise the server itself, so that a signal reaches it. */
  readonly throughLauncher?: boolean
  /** Options after `serve`. */
  readonly options?: readonly string[]
  /** Another program in place of Fairgate. */
  readonly program?: readonly string[]
  /** In its own process group, so that `process.kill(-pid)` reaches all of it, as a terminal's Ctrl-C does. */
  readonly ownGroup?: boolean
}

export type Spawned = Pick<SpawnedFairgate, 'pid' | 'printed' | 'output' | 'kill' | 'exited'>

export function spawnProcess({
  variables,
  throughLauncher = false,
  options = [],
  program = [...(throughLauncher ? ['node', launcher] : [process.execPath, entry]), 'serve', ...options],
  ownGroup = false,
}: SpawnOptions): Spawned {
  const { PATH = '', HOME = '' } = process.env
  const child = Bun.spawn([...program], {
    env: { PATH, HOME, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535', ...variables },
    stdout: 'pipe',
    stderr: 'pipe',
    detached: ownGroup,
  })
  let output = ''
  const waiting = new Set<() => void>()
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const bytes of stream) {
      output += decoder.decode(bytes, { stream: true })
      for (const check of waiting) check()
    }
  }
  const ended = Promise.all([collect(child.stdout), collect(child.stderr)]).then(() => child.exited)
  return {
    pid: child.pid,
    output: () => output,
    kill: signal => child.kill(signal),
    exited: ended,
    printed: text =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!output.includes(text)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
        void ended.then(code => reject(new Error(`The server ended with ${code}:\n${output}`)))
      }),
  }
}

/** Resolves when the server has reported that it is ready. */
export async function spawnFairgate(options: SpawnOptions): Promise<SpawnedFairgate> {
  const spawned = spawnProcess(options)
  await spawned.printed('Fairgate is ready.')
  await spawned.printed('  data  ')
  const addressOf = (door: string) => new RegExp(`${door} +(http://\\S+)`).exec(spawned.output())?.[1] ?? ''
  return {
    ...spawned,
    gatewayUrl: addressOf('gateway'),
    logbookUrl: addressOf('logbook'),
    adminUrl: addressOf('admin'),
  }
}
