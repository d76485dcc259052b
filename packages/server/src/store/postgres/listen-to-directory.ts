// Receives PostgreSQL notifications that another process has changed the directory, on a dedicated connection, which is made again when it is lost.
import { directoryChannels } from '../statements/directory-version.ts'
import type { ServerChoice } from './choose-server.ts'
import { KeptConnection } from './kept-connection.ts'

/**
 * `changed`: the change with this number was committed. `applied`: all changes up to it apply in a process. `connected`: earlier
 * notifications may have been missed.
 */
export type DirectoryNotice =
  | { readonly kind: 'changed' | 'applied'; readonly version: number }
  | { readonly kind: 'connected' }

export type DirectoryListenerOptions = {
  /** The server's own address: LISTEN does not work through a pooler that assigns connections per transaction. */
  readonly database: ServerChoice
  readonly hear: (notice: DirectoryNotice) => void
  /** Called each time that notifications stop coming; followers of the directory poll meanwhile. */
  readonly reportFailure: (error: unknown) => void
}

const connectMs = 2000
/** A connection that the network has dropped silently reports no end. */
const signOfLifeMs = 5000

const kinds = new Map<string, 'changed' | 'applied'>([
  [directoryChannels.changed, 'changed'],
  [directoryChannels.applied, 'applied'],
])

/** Returns its stop. */
export function listenToDirectory({
  database,
  hear,
  reportFailure,
}: DirectoryListenerOptions): () => Promise<void> {
  const kept = new KeptConnection({
    connect: () =>
      database.connect({
        application_name: 'fairgate-directory',
        connectionTimeoutMillis: connectMs,
        query_timeout: connectMs,
      }),
    accept: async client => {
      client.on('notification', ({ channel, payload }) => {
        const kind = kinds.get(channel)
        const version = Number(payload)
        if (kind !== undefined && Number.isSafeInteger(version)) hear({ kind, version })
      })
      for (const channel of kinds.keys()) await client.query(`listen ${channel}`)
      return true
    },
    ask: client => client.query('select 1'),
    onLoss: reportFailure,
    onReturn: () => hear({ kind: 'connected' }),
  })
  kept.begin()
  const timer = setInterval(() => void kept.check().catch(() => undefined), signOfLifeMs)
  return async () => {
    clearInterval(timer)
    await kept.release()
  }
}
