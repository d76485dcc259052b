// Hears from PostgreSQL that another process has changed the directory, on a connection of its own, which is made again when it is lost.
import { directoryChannels } from '../statements/directory-version.ts'
import type { ServerChoice } from './choose-server.ts'
import { KeptConnection } from './kept-connection.ts'

/**
 * `changed`: the change of this number was committed. `applied`: a process has all changes up to it in force. `connected`: notices
 * from before this one may have been missed.
 */
export type DirectoryNotice =
  | { readonly kind: 'changed' | 'applied'; readonly version: number }
  | { readonly kind: 'connected' }

export type DirectoryListenerOptions = {
  /** Of the server itself: a pooler that hands connections out by transaction lets nobody listen. */
  readonly database: ServerChoice
  readonly hear: (notice: DirectoryNotice) => void
  /** Called once for each time that notices stop coming; whoever follows the directory looks by itself meanwhile. */
  readonly reportFailure: (error: unknown) => void
}

const connectMs = 2000
/** A connection that the network has swallowed reports no end. */
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
