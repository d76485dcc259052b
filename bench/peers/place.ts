// Environment of a peer: its folder, ports and processes, and the Redis or PostgreSQL that it uses.
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { startPostgres } from '../../scripts/testing/start-postgres.ts'
import { findPostgres, killTree, readTreeMicros } from '../lib/process-times.ts'
import { findFreePorts } from '../lib/run-fairgate.ts'
import { findReason, requireDebian } from './install.ts'
import { onStop } from './stops.ts'

const maxStartSeconds = 180

export type Place = {
  /** The folder that the peer was installed into. */
  readonly installed: string
  /** Folder for its configuration and data. It survives a restart of the peer. */
  readonly folder: string
  /** The address of the upstream, to which `/v1/chat/completions` is added. */
  readonly upstreamUrl: string
  /** The peer's own port, the same at each start. */
  readonly port: number
  /** False once processes of the peer have been killed here. */
  readonly isFirstStart: () => boolean
  /** Starts a process of the peer and waits until `readyUrl` answers with a success. */
  readonly run: (
    command: readonly string[],
    readyUrl: string,
    variables?: Readonly<Record<string, string>>,
  ) => Promise<void>
  /** Kills the peer's processes as a crash does, and its Redis too if `withRedis`. PostgreSQL keeps running. */
  readonly kill: (withRedis: boolean) => Promise<void>
  /** Adds a process that was started elsewhere, and ends it with `stop`. */
  readonly adopt: (pid: number, stop: () => void | Promise<void>) => void
  /** The address of a Redis with default settings, started on first use. */
  readonly redis: () => Promise<string>
  /** The address of a PostgreSQL that waits for the disk at each commit, started on first use. */
  readonly postgres: () => string
}

export type OpenPlace = Place & {
  /** Processor time of all processes, in microseconds. */
  readonly readMicros: () => number
  readonly usesRedis: () => boolean
  readonly close: () => Promise<void>
}

/** Keeps a developer's own settings from these programs, and turns off reports to their makers. */
function readEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, LANG: 'C.UTF-8', PYTHONUTF8: '1', DO_NOT_TRACK: '1' }
}

export function openPlace(installed: string, upstreamUrl: string): OpenPlace {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-peers-'))
  const [port = 0, redisPort = 0] = findFreePorts(2)
  type Member = { readonly pid: number; readonly stop: () => void | Promise<void> }
  let members: Member[] = []
  let isFirst = true
  let redis: Subprocess | undefined
  let postgres: { readonly pid: number; readonly url: string; readonly stop: () => void } | undefined

  const spawn = async (
    command: readonly string[],
    variables: Readonly<Record<string, string>>,
    isReady: () => Promise<boolean>,
  ): Promise<Subprocess> => {
    const log = join(folder, `${command[0]?.split('/').at(-1)}.log`)
    const output = openSync(log, 'w')
    const child = Bun.spawn([...command], {
      cwd: folder,
      env: { ...readEnvironment(), ...variables },
      stdin: 'ignore',
      stdout: output,
      stderr: output,
    })
    const giveUpAt = performance.now() + maxStartSeconds * 1000
    while (!(await isReady())) {
      const hasEnded = child.exitCode !== null || child.signalCode !== null
      if (!hasEnded && performance.now() < giveUpAt) {
        await Bun.sleep(50)
        continue
      }
      killTree(child.pid)
      const reason = findReason(readFileSync(log, 'utf8'))
      throw new Error(
        hasEnded ? `exited while starting: ${reason}` : `not ready after ${maxStartSeconds} s: ${reason}`,
      )
    }
    return child
  }
  const answers = async (url: string) => {
    try {
      return (await fetch(url, { signal: AbortSignal.timeout(5000) })).ok
    } catch {
      return false
    }
  }
  const startRedis = async () => {
    requireDebian('redis-server', 'redis-server')
    const command = ['redis-server', '--port', String(redisPort), '--bind', '127.0.0.1', '--dir', folder]
    redis = await spawn(command, {}, () => acceptsConnections(redisPort))
  }
  const endMembers = async () => {
    const ended = members
    members = []
    for (const { pid, stop } of ended) {
      killTree(pid)
      await stop()
    }
  }
  const close = async () => {
    release()
    await endMembers()
    redis?.kill('SIGKILL')
    postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const release = onStop(close)

  return {
    installed,
    folder,
    upstreamUrl,
    port,
    isFirstStart: () => isFirst,
    run: async (command, readyUrl, variables = {}) => {
      const child = await spawn(command, variables, () => answers(readyUrl))
      members.push({ pid: child.pid, stop: async () => void (await child.exited) })
    },
    adopt: (pid, stop) => members.push({ pid, stop }),
    redis: async () => {
      if (redis === undefined) await startRedis()
      return `redis://127.0.0.1:${redisPort}`
    },
    postgres: () => {
      if (postgres === undefined) {
        const started = startPostgres({ shared_buffers: '256MB' })
        if (started === null) throw new Error('PostgreSQL is missing. On Debian: apt-get install postgresql')
        postgres = { pid: findPostgres(started.url), url: started.url, stop: started.stop }
      }
      return postgres.url
    },
    readMicros: () =>
      [...members, ...(redis === undefined ? [] : [redis]), ...(postgres === undefined ? [] : [postgres])]
        .map(({ pid }) => readTreeMicros(pid))
        .reduce((sum, micros) => sum + micros, 0),
    kill: async withRedis => {
      isFirst = false
      await endMembers()
      if (!withRedis || redis === undefined) return
      redis.kill('SIGKILL')
      await redis.exited
      await startRedis()
    },
    usesRedis: () => redis !== undefined,
    close,
  }
}

async function acceptsConnections(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => {} } })
    socket.end()
    return true
  } catch {
    return false
  }
}
