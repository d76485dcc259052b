// The database lock: servers share it, because their limits are in the database too; a restore holds it exclusively.
import { setTimeout as wait } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Client } from 'pg'
import type { Schema } from '../schema/schema.ts'
import { DatabaseInUse, StoreError } from '../store-error.ts'
import { requireWrites, type ServerChoice } from './choose-server.ts'
import { KeptConnection } from './kept-connection.ts'

/** Advisory locks are per database; the number spells "fair". */
export const lockNumber = 0x66616972
/** The database may notice late that a process which held the lock was killed. */
const usualPatienceMs = 10_000
const tryAgainMs = 100

/** A frozen server, or one behind a network that drops everything, closes no connection. */
const patienceForAnswerMs = 10_000

export type LockOptions = {
  /** How long a restore may keep the lock before DatabaseInUse. */
  readonly patienceMs?: number
  /** Called when the connection that holds it was lost. */
  readonly onLoss: () => void
  /** Called when the connection is back. */
  readonly onReturn: () => void
}

/**
 * Takes the lock, shared with other servers, on the connection that is checked each second. Rejects with DatabaseInUse if another process
 * keeps it for itself. A lost connection is made again.
 */
export async function shareDatabaseLock(
  choice: ServerChoice,
  { patienceMs = usualPatienceMs, onLoss, onReturn }: LockOptions,
): Promise<KeptConnection> {
  const kept = new KeptConnection({
    connect: () => choice.connect({ application_name: 'fairgate-watch', query_timeout: patienceForAnswerMs }),
    // A server that is no longer the primary still answers, so its state is queried.
    ask: choice.needsWrites ? requireWrites : client => client.query('select 1'),
    accept: async client => {
      // On a standby the lock would be different from the primary's.
      await requireWrites(client)
      await refusePooler(client)
      const { rows } = await client.query<{ taken: boolean }>(
        'select pg_try_advisory_lock_shared($1) as taken',
        [lockNumber],
      )
      return rows[0]?.taken === true
    },
    onLoss,
    onReturn,
  })
  await tryPatiently(
    () => kept.open(),
    patienceMs,
    'A restore is running on this database, or an older Fairgate that keeps its limits in memory. Wait for the restore, or stop the older Fairgate.',
  )
  return kept
}

/** Takes the lock for the rest of the transaction. Rejects with DatabaseInUse while a server or another restore uses the database. */
export function lockWholeDatabase(transaction: Kysely<Schema>): Promise<void> {
  return tryPatiently(
    async () => {
      const { rows } = await sql<{
        taken: boolean
      }>`select pg_try_advisory_xact_lock(${lockNumber}) as taken`.execute(transaction)
      return rows[0]?.taken === true
    },
    usualPatienceMs,
    'Another Fairgate process uses this database. Stop it, or set a different DATABASE_URL for this one.',
  )
}

async function tryPatiently(
  take: () => Promise<boolean>,
  patienceMs: number,
  refusal: string,
): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  while (!(await take())) {
    if (performance.now() >= giveUpAt) throw new DatabaseInUse(refusal)
    await wait(tryAgainMs)
  }
}

/**
 * Behind a pooler each statement may run in another session: the lock would belong to the next client of that session, and notifications would
 * not arrive.
 */
async function refusePooler(client: Client): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  // The server's own name when the connection was made; a pooler invents it. The type declarations omit this member.
  if (rows[0]?.pid === Reflect.get(client, 'processID')) return
  throw new StoreError(
    'DATABASE_URL leads through a connection pooler, which cannot hold the database lock. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
    null,
  )
}
