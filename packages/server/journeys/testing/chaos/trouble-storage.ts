// Temporary trouble: a process short of file descriptors, a disk that refuses writes, and another program that holds the database's lock.
import { join } from 'node:path'
import { Client, DatabaseError } from 'pg'

/** Sets a limit of a running process with util-linux. */
function setLimit(pid: number, limit: string): void {
  const { exitCode, stderr } = Bun.spawnSync(['prlimit', '--pid', String(pid), limit], { stderr: 'pipe' })
  // A process that has ended meanwhile has no limits to set.
  if (exitCode !== 0 && !stderr.toString().includes('No such process')) throw new Error(stderr.toString())
}

/** Fewer descriptors than are open: nothing can be opened or accepted, and open ones keep working. */
export async function starveDescriptors(pid: number, milliseconds: number): Promise<void> {
  const { stdout } = Bun.spawnSync([
    'prlimit',
    '--pid',
    String(pid),
    '--nofile',
    '--noheadings',
    '-o',
    'SOFT',
  ])
  const usual = stdout.toString().trim()
  if (usual === '') return
  setLimit(pid, '--nofile=16:')
  await Bun.sleep(milliseconds)
  setLimit(pid, `--nofile=${usual}:`)
}

/** Every write to a file fails; SQLite reports an I/O error. Sockets and pipes keep working. */
export async function failWrites(pid: number, milliseconds: number): Promise<void> {
  setLimit(pid, '--fsize=0:')
  await Bun.sleep(milliseconds)
  setLimit(pid, '--fsize=unlimited:')
}

const sqliteLock = `
const [, file, milliseconds] = process.argv
const db = new (require('bun:sqlite').Database)(file)
db.run('pragma busy_timeout = 10000')
db.run('begin immediate')
await Bun.sleep(Number(milliseconds))
db.run('rollback')`

/** Another program keeps everyone from writing, a few times in a row. */
export async function stormLock(
  { databaseUrl, dataFolder }: { readonly databaseUrl: string | null; readonly dataFolder: string },
  milliseconds: number,
): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    if (databaseUrl === null) {
      const words = ['-e', sqliteLock, join(dataFolder, 'fairgate.db'), String(milliseconds)]
      await Bun.spawn([process.execPath, ...words], { stdio: ['ignore', 'ignore', 'inherit'] }).exited
    } else await lockPostgres(databaseUrl, milliseconds)
    await Bun.sleep(100)
  }
}

async function lockPostgres(connectionString: string, milliseconds: number): Promise<void> {
  const client = new Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('begin; lock table charges, running_calls, entries in exclusive mode')
    await Bun.sleep(milliseconds)
    await client.query('rollback')
  } catch (error) {
    // The server conflicted with these locks, and PostgreSQL chose to end this side.
    if (!(error instanceof DatabaseError) || error.code !== '40P01') throw error
  } finally {
    await client.end()
  }
}
