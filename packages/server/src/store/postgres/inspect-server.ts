// Inspects a PostgreSQL server over a separate connection: version, settings, connections, lock, clock, and the facts that processes have agreed on.
import type { Client } from 'pg'
import { ServerChoice } from './choose-server.ts'
import { endConnection } from './cut-connection.ts'
import { readDatabaseAddress } from './database-address.ts'
import { lockNumber } from './hold-database-lock.ts'

export type PostgresFacts = {
  readonly version: string
  readonly versionNumber: number
  readonly fsync: string
  readonly fullPageWrites: string
  readonly synchronousCommit: string
  readonly maxConnections: number
  readonly reservedConnections: number
  readonly usedConnections: number
  readonly isStandby: boolean
  /** Connections that hold the lock of Fairgate's database. */
  readonly locks: number
  /** The server and the database, to decide whether two addresses lead to the same one. */
  readonly identity: string
  /** The server is not the one that it claimed to be when the connection was made: there is a pooler in between. */
  readonly isPooled: boolean
  /** Unix ms of the server, and ours before and after the query. */
  readonly clock: { readonly before: number; readonly said: number; readonly after: number }
  /** The facts that the processes have agreed on; empty for a database that Fairgate has not used. */
  readonly agreed: ReadonlyMap<string, string>
}

const facts = `select current_setting('server_version') as version, current_setting('server_version_num')::int as "versionNumber",
  current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
  current_setting('synchronous_commit') as "synchronousCommit", current_setting('max_connections')::int as "maxConnections",
  current_setting('superuser_reserved_connections')::int as "reservedConnections", pg_is_in_recovery() as "isStandby",
  (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as "usedConnections",
  (select count(*)::int from pg_locks where locktype = 'advisory' and classid = 0 and objid = $1 and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())) as locks,
  pg_postmaster_start_time()::text || ' ' || (select oid from pg_database where datname = current_database()) as identity,
  pg_backend_pid() as pid`

type Row = Omit<PostgresFacts, 'isPooled' | 'clock' | 'agreed'> & { readonly pid: number }

/** `clock`: Unix ms. Rejects if the server cannot be reached, or refuses. */
export async function inspectPostgres(connectionString: string, clock: () => number): Promise<PostgresFacts> {
  const choice = new ServerChoice(readDatabaseAddress(connectionString))
  await choice.settle()
  const client = await choice.connect({ application_name: 'fairgate-doctor' })
  try {
    const { rows } = await client.query<Row>(facts, [lockNumber])
    const [row] = rows
    if (row === undefined) throw new Error('PostgreSQL returned no row.')
    const { pid, ...found } = row
    return {
      ...found,
      isPooled: pid !== Reflect.get(client, 'processID'),
      clock: await readClock(client, clock),
      agreed: await readAgreed(client),
    }
  } finally {
    await endConnection(client)
  }
}

async function readClock(client: Client, clock: () => number): Promise<PostgresFacts['clock']> {
  const before = clock()
  const text = 'select extract(epoch from clock_timestamp())::float8 * 1000 as said'
  const { rows } = await client.query<{ said: number }>(text)
  return { before, said: Number(rows[0]?.said), after: clock() }
}

async function readAgreed(client: Client): Promise<ReadonlyMap<string, string>> {
  const { rows: tables } = await client.query("select from pg_tables where tablename = 'deployment_facts'")
  if (tables.length === 0) return new Map()
  const { rows } = await client.query<{ name: string; value: string }>(
    'select name, value from deployment_facts',
  )
  return new Map(rows.map(({ name, value }) => [name, value]))
}
