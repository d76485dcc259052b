// Renews the lease of this process on a dedicated connection: no other statement can delay it.
import type { Renewal } from '../statements/processes.ts'
import type { ServerChoice } from './choose-server.ts'
import { HotConnection } from './hot-connection.ts'

/**
 * Time to connect, and to answer with a second on top: both together fit into a lease, so that a failed renewal can be tried again within it.
 */
const patienceMs = 1500

/** A process that has been declared dead stays dead: its work is being ended. */
const renewal = `update processes set lease_until = floor(extract(epoch from clock_timestamp()) * 1000)::bigint + $2,
  directory_version = greatest(directory_version, $3), catalog_hash = $4 where process_id = $1 and lease_until > 0 returning slot`

export type LeaseConnection = {
  /** False if the process has been declared dead, or has no row. Rejects if the database has not answered in time. */
  readonly renew: (row: Renewal) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Connects with the first renewal, and again with the first one after a failure. */
export function openLeaseConnection(database: ServerChoice): LeaseConnection {
  const connection = new HotConnection({
    database,
    name: 'fairgate-lease',
    settings: [],
    statementMs: patienceMs,
  })
  return {
    renew: async ({ processId, leaseMs, directoryVersion, catalogHash }) => {
      const values = [processId, leaseMs, directoryVersion, catalogHash]
      return (await connection.run({ name: 'renew_lease', text: renewal, values })).length === 1
    },
    close: () => connection.close(),
  }
}
