// Keeps a second process off the database whose limits are in memory: two such processes would each admit the whole budget.
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import { DatabaseInUse, StoreError } from '../store-error.ts'
import { requireWrites, ServerChoice } from './choose-server.ts'
import { readDatabaseAddress } from './database-address.ts'
import { KeptConnection } from './kept-connection.ts'

/** Advisory locks are per database; the number spells "fair". */
export const lockNumber = 0x66616972
/** The database may see late that a process which held the lock was killed. */
const usualPatienceMs = 10_000
const tryAgainMs = 100

/** Of the connections that read and write: only the holder of the lock makes any. */
export const poolName = 'fairgate'

/** A server that is frozen, or behind a network that swallows everything, closes no connection. */
const patienceForAnswerMs = 10_000

/** Whether other processes may use the database meanwhile: those that share it too. */
export type LockKind = 'exclusive' | 'shared'

export type LockOptions = {
  /** How long another process may keep the lock before DatabaseInUse. */
  readonly patienceMs?: number
  /** Called when the lock was lost with its connection. */
  readonly onLoss?: () => void
  /** Called when it has been taken again. */
  readonly onReturn?: () => void
}

const doNothing = (): void => undefined

/** Makes the connection that is looked at each second. */
function openWatched(choice: ServerChoice, name: string): Promise<Client> {
  return choice.connect({ application_name: name, query_timeout: patienceForAnswerMs })
}

/** A server that is no longer the primary answers as before, so it is asked what it is. */
function askForLife(choice: ServerChoice): (client: Client) => Promise<unknown> {
  return choice.needsWrites ? requireWrites : client => client.query('select 1')
}

/**
 * Takes the lock for the life of this process; the database frees it however the process ends. After a lost connection it is
 * taken again as soon as that can be, unless another process had it meanwhile: what this one has in memory is then out of date,
 * and it writes nothing any more. Rejects with DatabaseInUse when another process keeps holding it.
 */
export async function holdDatabaseLock(
  database: ServerChoice | string,
  { patienceMs = usualPatienceMs, onLoss = doNothing, onReturn = doNothing }: LockOptions = {},
): Promise<KeptConnection> {
  const choice = database instanceof ServerChoice ? database : new ServerChoice(readDatabaseAddress(database))
  let held: { readonly session: Session; readonly epoch: number } | null = null
  const lock = new KeptConnection({
    connect: () => openWatched(choice, 'fairgate-lock'),
    ask: askForLife(choice),
    accept: async client => {
      // On a standby the lock would be another one than the primary's.
      await requireWrites(client)
      const session = await readSession(client)
      if (!(await tryLock(client, 'exclusive'))) {
        if (held !== null && (await endSession(client, held.session)))
          throw new Error('The lock was still held by the connection that was lost.')
        return false
      }
      await noticeLoss(client)
      if (held === null) {
        await endPredecessors(client)
        held = { session, epoch: await beginEpoch(client) }
        return true
      }
      const { epoch } = held
      held = { session, epoch }
      return (await readEpoch(client)) === epoch
    },
    onLoss,
    onReturn,
  })
  await openPatiently(
    lock,
    patienceMs,
    'Another Fairgate process uses this database. Stop it, or give this one its own DATABASE_URL.',
  )
  return lock
}

/**
 * Takes the lock beside other processes whose limits are in the database too. Rejects with DatabaseInUse when a process keeps holding it
 * for itself. A lost connection is made again; nothing that this process has in memory is out of date then.
 */
export async function shareDatabaseLock(
  choice: ServerChoice,
  { patienceMs = usualPatienceMs, onLoss = doNothing, onReturn = doNothing }: LockOptions = {},
): Promise<KeptConnection> {
  const lock = new KeptConnection({
    connect: () => openWatched(choice, 'fairgate-watch'),
    ask: askForLife(choice),
    accept: async client => {
      await requireWrites(client)
      // Behind a pooler the lock would stay with a session that is not ours.
      return !(await isOwnSession(client)) || (await tryLock(client, 'shared'))
    },
    onLoss,
    onReturn,
  })
  await openPatiently(
    lock,
    patienceMs,
    'A Fairgate process that keeps its limits in memory uses this database, or a copy or a restore is at work on it. Stop it first.',
  )
  return lock
}

async function openPatiently(lock: KeptConnection, patienceMs: number, refusal: string): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  while (!(await lock.open())) {
    if (performance.now() >= giveUpAt) throw new DatabaseInUse(refusal)
    await wait(tryAgainMs)
  }
}

/** A connection as the server knows it; the number alone comes again. */
type Session = { readonly pid: number; readonly startedAt: string }

/** Rejects behind a pooler, where each statement may run in another session: the lock would be held by whoever comes next. */
async function readSession(client: Client): Promise<Session> {
  const session = await findSession(client)
  if (session !== null) return session
  throw new StoreError(
    'DATABASE_URL leads through a connection pooler, which cannot hold the lock of the database. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
    null,
  )
}

async function isOwnSession(client: Client): Promise<boolean> {
  return (await findSession(client)) !== null
}

/** Null behind a pooler. */
async function findSession(client: Client): Promise<Session | null> {
  const { rows } = await client.query<Session>(
    'select pid, backend_start::text as "startedAt" from pg_stat_activity where pid = pg_backend_pid()',
  )
  const [session] = rows
  return session !== undefined && session.pid === readAnnouncedPid(client) ? session : null
}

/** What the server called itself when the connection was made; a pooler invents it. The type declarations omit this member. */
function readAnnouncedPid(client: Client): unknown {
  return Reflect.get(client, 'processID')
}

const tryTexts: Readonly<Record<LockKind, string>> = {
  exclusive: 'select pg_try_advisory_lock($1) as taken',
  shared: 'select pg_try_advisory_lock_shared($1) as taken',
}

async function tryLock(client: Client, kind: LockKind): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(tryTexts[kind], [lockNumber])
  return rows[0]?.taken === true
}

/** After a network that went without a word, the server still has our lost connection, and the lock with it. True when it is ended. */
async function endSession(client: Client, { pid, startedAt }: Session): Promise<boolean> {
  const { rows } = await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and backend_start::text = $2',
    [pid, startedAt],
  )
  return rows.length > 0
}

/** The server frees the lock of a machine that was switched off after 11 seconds: the system's own time is two hours. */
async function noticeLoss(client: Client): Promise<void> {
  await client.query(
    'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3',
  )
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
