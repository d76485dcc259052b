// Renews the lease of this process on a connection of its own: no other statement can keep it waiting.
import type { Client } from 'pg'
import type { Renewal } from '../statements/processes.ts'
import type { ServerChoice } from './choose-server.ts'
import { cutConnection, endConnection } from './cut-connection.ts'

/** To connect and to answer: both together fit into a lease, so that a renewal that fails can be tried again within it. */
const patienceMs = 2000

/** A process that has been declared dead stays dead: what it was doing is being ended. */
const renewal = `update processes set lease_until = floor(extract(epoch from clock_timestamp()) * 1000)::bigint + $2,
  directory_version = greatest(directory_version, $3), catalog_hash = $4 where process_id = $1 and lease_until > 0`

export type LeaseConnection = {
  /** False when the process has been declared dead, or has no row. Rejects when the database has not answered in time. */
  readonly renew: (row: Renewal) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Connects with the first renewal, and again with the first one after a failure. */
export function openLeaseConnection(database: ServerChoice): LeaseConnection {
  let open: Client | null = null
  const connect = async (): Promise<Client> => {
    const client = await database.connect({
      application_name: 'fairgate-lease',
      connectionTimeoutMillis: patienceMs,
      query_timeout: patienceMs,
      statement_timeout: patienceMs,
    })
    client.on('error', () => {
      if (open === client) open = null
    })
    return client
  }
  return {
    renew: async ({ processId, leaseMs, directoryVersion, catalogHash }) => {
      const client = open ?? (await connect())
      open = client
      try {
        const values = [processId, leaseMs, directoryVersion, catalogHash]
        return (await client.query(renewal, values)).rowCount === 1
      } catch (error) {
        open = null
        cutConnection(client)
        throw error
      }
    },
    close: async () => {
      if (open !== null) await endConnection(open)
      open = null
    },
  }
}
