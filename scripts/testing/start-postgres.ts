// Starts a PostgreSQL of its own for the tests: in a temporary folder, on loopback, as an ordinary user.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type TestPostgres = {
  readonly url: string
  /** Cuts every connection, as a crash of the database does; it is there again when this returns. */
  readonly restart: () => void
  readonly stop: () => void
}

/** Debian keeps the programs outside the path, in a folder per version. */
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

function freePort(): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port } = server
  void server.stop(true)
  return port ?? 0
}

/**
 * Null when PostgreSQL is not installed. Throws with the program's own words when it does not start.
 * Tests kill our processes, never this one: by default it need not wait for the disk.
 */
export function startPostgres(
  settings: Readonly<Record<string, string>> = { fsync: 'off' },
): TestPostgres | null {
  const programs = findPrograms()
  if (programs === null) return null
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-postgres-'))
  const data = join(folder, 'data')
  const log = join(folder, 'log')
  // PostgreSQL refuses to run as root; Debian's package brings this user.
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
  const port = freePort()
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
  const chosen = Object.entries({ max_connections: '300', ...settings }).map(
    ([name, value]) => `-c ${name}=${value}`,
  )
  const options = `-p ${port} -h 127.0.0.1 -k ${folder} ${chosen.join(' ')}`
  const control = (...command: string[]) => run(join(programs, 'pg_ctl'), '-D', data, '-w', ...command)
  control('-l', log, '-o', options, 'start')
  return {
    url: `postgres://fairgate@127.0.0.1:${port}/postgres`,
    restart: () => control('-l', log, '-m', 'immediate', '-o', options, 'restart'),
    stop: () => {
      control('-m', 'immediate', 'stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
