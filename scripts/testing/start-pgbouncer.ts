// Starts a separate pgbouncer in front of a test PostgreSQL: transaction pooling, with as few connections as possible.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const program = '/usr/sbin/pgbouncer'

export type TestPooler = { readonly url: string; readonly stop: () => Promise<void> }

/** Null if Debian's package is not installed. `ignored`: startup parameters that it drops. It refuses clients that send others. */
export async function startPgbouncer(
  databaseUrl: string,
  ignored: string,
  poolMode = 'transaction',
): Promise<TestPooler | null> {
  if (!existsSync(program)) return null
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-pgbouncer-'))
  const { hostname, port, username } = new URL(databaseUrl)
  const ownPort = 20_000 + Math.floor(Math.random() * 10_000)
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(join(folder, 'users'), `"${username}" ""\n`)
  writeFileSync(
    settings,
    [
      '[databases]',
      `* = host=${hostname} port=${port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${ownPort}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(folder, 'users')}`,
      `pool_mode = ${poolMode}`,
      'default_pool_size = 3',
      `ignore_startup_parameters = ${ignored}`,
    ].join('\n'),
  )
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) Bun.spawnSync(['chown', '-R', 'postgres', folder])
  const child = Bun.spawn([program, ...(isRoot ? ['-u', 'postgres'] : []), settings], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  while (!(await isListening(ownPort))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}.`)
    await Bun.sleep(20)
  }
  const url = new URL(databaseUrl)
  url.port = String(ownPort)
  return {
    url: url.href,
    stop: async () => {
      child.kill('SIGKILL')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    const end = (found: boolean) => {
      socket.destroy()
      resolve(found)
    }
    socket.on('connect', () => end(true)).on('error', () => end(false))
  })
}
