// Starts a disposable server as a separate process, with a temporary data folder, free ports and the embedded sandbox.
import { Database } from 'bun:sqlite'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RehearsalServer } from './load/run-rehearsal.ts'

export type OwnServer = {
  readonly server: RehearsalServer
  /** Ends the process and removes its data. */
  readonly stop: () => Promise<void>
}

export type Variables = Readonly<Record<string, string | undefined>>

const program = fileURLToPath(new URL('../../server/src/cli/main.ts', import.meta.url))
/** Enough for a start on a slow disk. A stop that takes longer than `stopMs` is forced. */
const startMs = 60_000
const stopMs = 20_000

/** Keeps the event's settings and catalog, and drops its secrets, addresses and database. */
function buildVariables(variables: Variables, folder: string, adminKey: string): Record<string, string> {
  const kept = Object.entries(variables).filter(
    ([name, value]) =>
      value !== undefined &&
      (name === 'FAIRGATE_CONFIG' || !/^(FAIRGATE_|VENDOR_|DATABASE_(DIRECT_)?URL$)/.test(name)),
  )
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ''])),
    FAIRGATE_DATA_DIR: join(folder, 'data'),
    FAIRGATE_ADMIN_KEY: adminKey,
    FAIRGATE_GATEWAY_PORT: '0',
    FAIRGATE_LOGBOOK_PORT: '0',
    FAIRGATE_ADMIN_PORT: '0',
    // The runtime reads this at the start. Without it, at most 256 calls to the sandbox could run at once.
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
  }
}

/**
 * Makes the temporary folder in `place`. `prepare` may write into the data folder of its variables before the server starts. Throws an Error
 * with the server's output when it does not start.
 */
export async function startOwnServer(
  variables: Variables,
  place: string,
  prepare: (own: Variables) => Promise<void> = async () => undefined,
): Promise<OwnServer> {
  const folder = mkdtempSync(join(place, 'fairgate-rehearsal-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const adminKey = `rehearsal-${randomBytes(18).toString('hex')}`
  const own = buildVariables(variables, folder, adminKey)
  try {
    await prepare(own)
  } catch (error) {
    remove()
    throw error
  }
  const child = Bun.spawn([process.execPath, program, 'serve'], {
    env: own,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // Keeps the terminal's Ctrl-C from reaching the server; this program ends it when done.
    detached: true,
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await child.exited
    clearTimeout(timer)
    remove()
  }
  try {
    const said = await readStart(child)
    const addressOf = (door: string) => new RegExp(`^ +${door} +(http://\\S+)`, 'm').exec(said)?.[1] ?? ''
    const dataFolder = join(folder, 'data')
    return {
      server: {
        gatewayUrl: addressOf('gateway'),
        logbookUrl: addressOf('logbook'),
        adminUrl: addressOf('admin'),
        adminKey,
        machine: {
          readDataBytes: () => sizeOf(dataFolder),
          readFreeBytes: async () => {
            const { bavail, bsize } = await statfs(folder)
            return bavail * bsize
          },
          memoryBytes: totalmem(),
        },
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Returns the output up to readiness. The log is still read afterwards and discarded, or the server would block on its pipe. */
async function readStart(child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>): Promise<string> {
  const ready = Promise.withResolvers<string>()
  let said = ''
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const bytes of stream) {
      if (isReady(said)) continue
      said += decoder.decode(bytes, { stream: true })
      if (isReady(said)) ready.resolve(said)
    }
  }
  void Promise.all([read(child.stdout), read(child.stderr)])
    .then(() => child.exited)
    .then(code => ready.reject(new Error(`The server ended with ${code}: ${said.trim()}`)))
  const timer = setTimeout(() => ready.reject(new Error(`The server did not start: ${said.trim()}`)), startMs)
  return ready.promise.finally(() => clearTimeout(timer))
}

function isReady(said: string): boolean {
  return said.includes('Fairgate is ready.') && /^ {2}data {2}/m.test(said)
}

/** Counts a database by its pages, including those in its write-ahead log. The log file itself is reused, so its size says little. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  return files.reduce((sum, file) => {
    const path = join(file.parentPath, file.name)
    if (!file.isFile() || /\.db-(wal|shm)$/.test(path)) return sum
    if (path.endsWith('.db')) return sum + countPages(path)
    return sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  }, 0)
}

function countPages(path: string): number {
  const database = new Database(path, { readonly: true })
  try {
    const text = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size'
    return database.query<{ bytes: number }, []>(text).get()?.bytes ?? 0
  } finally {
    database.close()
  }
}
