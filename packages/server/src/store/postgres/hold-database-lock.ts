// Keeps a second process off the database: two processes with limits in memory would each admit the whole budget.
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'

/** Advisory locks are per database; the number spells "fair". */
const lockNumber = 0x66616972
const retryMs = 1000
/** The database may see late that a process which held the lock was killed. */
const usualPatienceMs = 10_000
const tryAgainMs = 100

/** Of the connections that read and write: only the holder of the lock makes any. */
export const poolName = 'fairgate'

export type DatabaseLock = {
  /** False from the moment the connection that holds the lock is lost until it is taken again. */
  readonly isHeld: () => boolean
  readonly release: () => Promise<void>
}

/**
 * Takes the lock for the life of this process; the database frees it however the process ends. After a lost connection it is
 * taken again as soon as that can be, unless another process had it meanwhile: what this one has in memory is then out of date,
 * and it writes nothing any more. Throws an Error that says what to do when another process keeps holding it for `patienceMs`.
 */
export async function holdDatabaseLock(
  connectionString: string,
  reportFailure: (error: unknown) => void,
  patienceMs = usualPatienceMs,
): Promise<DatabaseLock> {
  let client: Client | null = null
  let isReleased = false
  let timer: ReturnType<typeof setTimeout> | null = null

  const take = async (confirm: (holder: Client) => Promise<boolean>): Promise<boolean> => {
    const next = new Client({ connectionString, application_name: 'fairgate-lock', keepAlive: true })
    // An error of an idle connection is an event; without a listener it would end the process.
    next.on('error', reportFailure)
    await next.connect()
    let isTaken = false
    try {
      isTaken = (await tryLock(next)) && (await confirm(next))
    } finally {
      // Released meanwhile: nobody would end it, and it would keep the lock.
      if (!isTaken || isReleased) await next.end()
    }
    if (isReleased || !isTaken) return isTaken
    next.on('end', lose)
    client = next
    return true
  }

  let epoch = 0
  const begin = async (holder: Client) => {
    await endPredecessors(holder)
    epoch = await beginEpoch(holder)
    return true
  }
  const isStillOurs = async (holder: Client) => (await readEpoch(holder)) === epoch

  const lose = () => {
    client = null
    if (!isReleased) timer = setTimeout(takeAgain, retryMs)
  }
  const takeAgain = async () => {
    try {
      if (await take(isStillOurs)) return
      reportFailure(
        new Error(
          'Another Fairgate process has used the database meanwhile. This one writes nothing: restart it.',
        ),
      )
      return
    } catch (error) {
      reportFailure(error)
    }
    if (!isReleased) timer = setTimeout(takeAgain, retryMs)
  }

  const giveUpAt = performance.now() + patienceMs
  while (!(await take(begin))) {
    if (performance.now() < giveUpAt) {
      await wait(tryAgainMs)
      continue
    }
    throw new Error(
      'Another Fairgate process uses this database. Stop it, or give this one its own DATABASE_URL.',
    )
  }
  return {
    isHeld: () => client !== null,
    release: async () => {
      isReleased = true
      if (timer !== null) clearTimeout(timer)
      await client?.end()
    },
  }
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
    lockNumber,
  ])
  return rows[0]?.taken === true
}

/** What a killed process had sent may still be running: it ends before anything is read, or it would be committed afterwards. */
async function endPredecessors(client: Client): Promise<void> {
  const text = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = current_user and application_name = $1`
  while ((await client.query(text, [poolName])).rows.length > 0) await wait(tryAgainMs)
}

/** Numbers the processes that have held the lock. The table is made here: the lock comes before the migrations. */
async function beginEpoch(client: Client): Promise<number> {
  await client.query(
    'create table if not exists process_epoch (id integer primary key, epoch bigint not null)',
  )
  await client.query(
    'insert into process_epoch values (1, 1) on conflict (id) do update set epoch = process_epoch.epoch + 1',
  )
  return readEpoch(client)
}

async function readEpoch(client: Client): Promise<number> {
  const { rows } = await client.query<{ epoch: string }>('select epoch from process_epoch')
  return Number(rows[0]?.epoch)
}
