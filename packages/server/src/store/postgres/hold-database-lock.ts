// Keeps a second process off the database: two processes with limits in memory would each admit the whole budget.
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { DatabaseInUse, ownCodes, StoreError } from '../store-error.ts'
import { cutConnection, endConnection, isSilence } from './cut-connection.ts'

/** Advisory locks are per database; the number spells "fair". */
export const lockNumber = 0x66616972
const retryMs = 1000
/** The database may see late that a process which held the lock was killed. */
const usualPatienceMs = 10_000
const tryAgainMs = 100

/** Of the connections that read and write: only the holder of the lock makes any. */
export const poolName = 'fairgate'

/** A server that is frozen, or behind a network that swallows everything, closes no connection. */
const patienceForAnswerMs = 10_000

export type DatabaseLock = {
  /** Throws StoreError from the moment the connection that holds the lock is lost until it is taken again. */
  readonly assertHeld: () => void
  /** Asks the server for a sign of life over the connection that holds the lock. Rejects with StoreError. */
  readonly check: () => Promise<void>
  readonly release: () => Promise<void>
}

/**
 * Takes the lock for the life of this process; the database frees it however the process ends. After a lost connection it is
 * taken again as soon as that can be, unless another process had it meanwhile: what this one has in memory is then out of date,
 * and it writes nothing any more. Throws DatabaseInUse when another process keeps holding it for `patienceMs`.
 */
export async function holdDatabaseLock(
  connectionString: string,
  patienceMs = usualPatienceMs,
): Promise<DatabaseLock> {
  let client: Client | null = null
  let isReleased = false
  let isTakenByAnother = false
  let lastError: unknown = null
  let timer: ReturnType<typeof setTimeout> | null = null

  const note = (error: unknown) => {
    lastError = error
  }
  const take = async (confirm: (holder: Client) => Promise<boolean>): Promise<boolean> => {
    const next = new Client({
      connectionString,
      application_name: 'fairgate-lock',
      keepAlive: true,
      connectionTimeoutMillis: patienceForAnswerMs,
      query_timeout: patienceForAnswerMs,
    })
    // An error of an idle connection is an event; without a listener it would end the process.
    next.on('error', note)
    await next.connect()
    let isTaken = false
    try {
      isTaken = (await tryLock(next)) && (await confirm(next))
    } finally {
      // Released meanwhile: nobody would end it, and it would keep the lock.
      if (!isTaken || isReleased) await endConnection(next)
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
      isTakenByAnother = true
      return
    } catch (error) {
      note(error)
    }
    if (!isReleased) timer = setTimeout(takeAgain, retryMs)
  }

  const giveUpAt = performance.now() + patienceMs
  while (!(await take(begin))) {
    if (performance.now() < giveUpAt) {
      await wait(tryAgainMs)
      continue
    }
    throw new DatabaseInUse(
      'Another Fairgate process uses this database. Stop it, or give this one its own DATABASE_URL.',
    )
  }
  const assertHeld = (): Client => {
    if (client !== null) return client
    if (isTakenByAnother)
      throw new StoreError(
        'Another Fairgate process has used the database meanwhile. This one writes nothing: restart it.',
        ownCodes.lockTaken,
      )
    const reason = lastError instanceof Error ? `: ${lastError.message}` : '.'
    throw new StoreError(`The connection to the database is lost${reason}`, ownCodes.lockLost, {
      cause: lastError,
    })
  }
  return {
    assertHeld: () => {
      assertHeld()
    },
    check: async () => {
      const holder = assertHeld()
      try {
        await holder.query('select 1')
      } catch (cause) {
        note(cause)
        // Without an end of it the connection would count as the holder's for as long as the network is silent.
        cutConnection(holder)
        const code = isSilence(cause) ? ownCodes.noAnswer : ownCodes.lockLost
        throw new StoreError('The connection to the database is lost.', code, { cause })
      }
    },
    release: async () => {
      isReleased = true
      if (timer !== null) clearTimeout(timer)
      if (client !== null) await endConnection(client)
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
