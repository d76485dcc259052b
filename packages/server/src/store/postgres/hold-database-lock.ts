// Keeps a second process off the database: two processes with limits in memory would each admit the whole budget.
import { Client } from 'pg'

/** Advisory locks are per database; the number spells "fair". */
const lockNumber = 0x66616972
const retryMs = 1000

export type DatabaseLock = {
  /** False from the moment the connection that holds the lock is lost until it is taken again. */
  readonly isHeld: () => boolean
  readonly release: () => Promise<void>
}

/**
 * Takes the lock for the life of this process; the database frees it however the process ends. After a lost connection it is
 * taken again as soon as that can be. Throws an Error that says what to do when another process holds it.
 */
export async function holdDatabaseLock(
  connectionString: string,
  reportFailure: (error: unknown) => void,
): Promise<DatabaseLock> {
  let client: Client | null = null
  let isReleased = false
  let timer: ReturnType<typeof setTimeout> | null = null

  const take = async (): Promise<boolean> => {
    const next = new Client({ connectionString, application_name: 'fairgate-lock', keepAlive: true })
    // An error of an idle connection is an event; without a listener it would end the process.
    next.on('error', reportFailure)
    await next.connect()
    const { rows } = await next.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      lockNumber,
    ])
    if (rows[0]?.taken !== true) {
      await next.end()
      return false
    }
    next.on('end', lose)
    client = next
    return true
  }
  const lose = () => {
    client = null
    if (!isReleased) timer = setTimeout(takeAgain, retryMs)
  }
  const takeAgain = async () => {
    try {
      if (await take()) return
      reportFailure(new Error('Another Fairgate process has taken the database; this one writes nothing.'))
    } catch (error) {
      reportFailure(error)
    }
    if (!isReleased) timer = setTimeout(takeAgain, retryMs)
  }

  if (!(await take())) {
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
