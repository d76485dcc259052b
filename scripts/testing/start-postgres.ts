// Starts a separate PostgreSQL for the tests, in a temporary folder, on loopback, as an ordinary user.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type TestPostgres = {
  readonly url: string
  /** Cuts every connection, as a crash of the database does. The database is back when this returns. */
  readonly restart: () => void
  /** Ends it at once, as a crash does, and restarts it after this many milliseconds. Nothing else in this process waits meanwhile. */
  readonly crash: (downMs: number) => Promise<void>
  /** A second server that follows this one by streaming replication and takes no writes until it is promoted. `stop` ends it too. */
  readonly addStandby: () => TestStandby
  /** Ends it for good, as a power cut does; its data stays until `stop`. */
  readonly kill: () => void
  readonly stop: () => void
}

export type TestStandby = { readonly url: string; readonly promote: () => Promise<void> }

/** Debian keeps the programs outside the PATH, in a folder per version. */
function findPrograms(): string | null {
  const installed = '/usr/lib/postgresql'
  const versions = existsSync(installed) ? readdirSync(installed).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map(version => join(installed, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ]
  return (
    folders.find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl'))) ?? null
  )
}

/** Below the ephemeral ports, so that no connection of another test takes the port while the server restarts. */
const anyPort = () => 20_000 + Math.floor(Math.random() * 10_000)
const attempts = 50

/**
 * Null when PostgreSQL is not installed. Throws with the program's own message when it does not start.
 * Tests kill our processes but never this one, so by default it need not wait for the disk.
 * `kept`: a folder that stays when it stops, and that it starts from again; null for a temporary one.
 */
export function startPostgres(
  settings: Readonly<Record<string, string>> = { fsync: 'off' },
  kept: string | null = null,
): TestPostgres | null {
  const programs = findPrograms()
  if (programs === null) return null
  if (kept !== null) mkdirSync(kept, { recursive: true })
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'fairgate-postgres-'))
  const data = join(folder, 'data')
  const log = join(folder, 'log')
  // PostgreSQL refuses to run as root. Debian's package creates this user.
  const asUser =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  const run = (...command: string[]) => {
    const { exitCode, stderr, stdout } = Bun.spawnSync([...asUser, ...command], {
      cwd: folder,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    if (exitCode !== 0) throw new Error(`${command[0]} failed: ${stderr}${stdout}`)
  }
  if (asUser.length > 0) Bun.spawnSync(['chown', 'postgres', folder])
  const initialise = () =>
    run(
      join(programs, 'initdb'),
      '-D',
      data,
      '-U',
      'fairgate',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '-N',
    )
  const chosen = Object.entries({ max_connections: '1000', ...settings }).map(
    ([name, value]) => `-c ${name}=${value}`,
  )
  // Waits as long as needed. By default pg_ctl gives up after a minute, which can be too short on a busy machine.
  const control = (of: string, ...command: string[]) =>
    run(join(programs, 'pg_ctl'), '-D', of, '-w', '-t', '3600', ...command)
  const optionsFor = (port: number) => `-p ${port} -h 127.0.0.1 -k ${folder} ${chosen.join(' ')}`
  const start = (of: string, port: number) => control(of, '-l', log, '-o', optionsFor(port), 'start')
  const isPortTaken = () => readFileSync(log, 'utf8').includes('could not bind IPv4 address')
  /** Retries if another program has the port. Throws the contents of the log if it does not start at all. */
  const startOn = (of: string, choosePort: () => number): number => {
    for (let attempt = 1; ; attempt += 1) {
      const port = choosePort()
      rmSync(log, { force: true })
      try {
        start(of, port)
        return port
      } catch (error) {
        if (attempt === attempts || !existsSync(log) || !isPortTaken())
          throw new Error(`${error}\n${existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : ''}`)
        Bun.sleepSync(100)
      }
    }
  }
  const remove = () => {
    if (kept === null) rmSync(folder, { recursive: true, force: true })
  }
  const urlOf = (port: number) => `postgres://fairgate@127.0.0.1:${port}/postgres`
  /** Folders of running servers. */
  const running = new Set<string>()
  const halt = (of: string) => {
    if (running.delete(of)) control(of, '-m', kept === null ? 'immediate' : 'fast', 'stop')
  }
  /** Runs without blocking the rest of this process. */
  const controlAside = async (of: string, ...command: string[]) => {
    const child = Bun.spawn([...asUser, join(programs, 'pg_ctl'), '-D', of, '-w', '-t', '3600', ...command], {
      cwd: folder,
      stdout: 'ignore',
      stderr: 'ignore',
    })
    if ((await child.exited) !== 0) throw new Error(`pg_ctl ${command.join(' ')} failed.`)
  }
  try {
    if (!existsSync(data)) initialise()
    const port = startOn(data, anyPort)
    running.add(data)
    return {
      url: urlOf(port),
      restart: () => {
        halt(data)
        startOn(data, () => port)
        running.add(data)
      },
      crash: async downMs => {
        await controlAside(data, '-m', 'immediate', 'stop')
        await Bun.sleep(downMs)
        await controlAside(data, '-l', log, '-o', optionsFor(port), 'start')
      },
      addStandby: () => {
        const standby = join(folder, 'standby')
        const from = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'fairgate']
        run(join(programs, 'pg_basebackup'), '-D', standby, ...from, '-X', 'stream', '-R', '-c', 'fast')
        const standbyPort = startOn(standby, anyPort)
        running.add(standby)
        return { url: urlOf(standbyPort), promote: () => controlAside(standby, 'promote') }
      },
      kill: () => halt(data),
      stop: () => {
        try {
          for (const each of [...running]) halt(each)
        } finally {
          remove()
        }
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}
