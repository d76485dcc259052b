// The shared environment that every room is opened with: settings, store, time, randomness, log, metrics, and the registration of stops.
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { OpenLog } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import type { ServerChoice } from '../store/postgres/choose-server.ts'
import type { Store } from '../store/store.ts'
import type { HeldNotices } from './hold-notices.ts'
import type { ServerTime } from './server-time.ts'
import type { Stops } from './stops.ts'
import type { after, every, waitUntil } from './timers.ts'

export type World = ServerTime &
  Pick<OpenLog, 'log' | 'logAccess'> &
  Pick<Stops, 'onDrain' | 'onStop'> & {
    readonly config: Config
    readonly secrets: Secrets
    readonly store: Store
    /** PostgreSQL, which other processes may also use; null on SQLite, because this process is then the only one. */
    readonly sharedDatabase: ServerChoice | null
    readonly metrics: Metrics
    /** For what is noticed during the start: logged once the person who starts the server has read that it is ready. */
    readonly notices: HeldNotices
    readonly every: typeof every
    readonly after: typeof after
    readonly wait: typeof waitUntil
    /** From 0 up to but not including 1. */
    readonly random: () => number
    readonly randomBytes: (size: number) => Buffer
    /** UUIDs that sort by creation time. */
    readonly newId: () => string
  }
