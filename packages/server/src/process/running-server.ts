// The options of a start, and the running server that it returns.
import type { DoorName } from '../config/listener-settings.ts'
import type { Log } from '../http/log.ts'
import type { MetricFamily } from '../http/metric-series.ts'
import type { WaitingDoors } from './take-over.ts'

/** The address of a door that is not open is empty. */
export type DoorUrls = {
  readonly gatewayUrl: string
  readonly logbookUrl: string
  readonly adminUrl: string
  /** The address that only serves `/metrics`. */
  readonly metricsUrl: string
}

/** How this process shares addresses with others. */
export type Place = {
  readonly waitingDoors: WaitingDoors | null
  /** Null if this process has them to itself. */
  readonly sharing: { readonly isBesideOthers: boolean } | null
}

export type RunningServer = DoorUrls & {
  readonly log: Log
  /** Text for the person who started it. */
  readonly announcement: string
  /** Logs what was noticed during the start; call it once the announcement is printed. */
  readonly releaseNotices: () => void
  /** Reloads the model catalog and the key files. A fault is logged, and the current ones stay. */
  readonly reload: () => void
  readonly readFigures: () => readonly MetricFamily[]
  /** Builds the browser pages if that has not been done, so that the first reader does not wait. Never rejects. */
  readonly preparePages: () => Promise<void>
  /** Ports of the open doors. */
  readonly ports: Readonly<Partial<Record<DoorName | 'metrics', number>>>
  /** Max duration of `stop` if all goes well. */
  readonly longestStopMs: number
  /**
   * Accepts no new requests, lets running ones finish within the configured time, writes everything, closes. Resolves with false if
   * something was lost. `announced`: `/health/ready` answers 503 for the configured time first, while requests are still accepted.
   * `replaced`: clients first move to another process at the same addresses.
   */
  readonly stop: (how?: StopManner) => Promise<boolean>
}

export type StopManner = 'at once' | 'announced' | 'replaced'

/** Set for one of multiple processes at the same addresses. */
export type Membership = {
  /** True if the others already have the addresses. */
  readonly isBesideOthers: boolean
  /** True if a person reads the log. */
  readonly isTerminal: boolean
  /** The shared sandbox; null if calls go to a real vendor. */
  readonly sandboxUrl: string | null
  /** The figures of all processes as one scrape; null if they are not available. */
  readonly scrape: () => Promise<string | null>
}

export type StartOptions = {
  /** Unix ms, replaces the real clock. PostgreSQL counts limits and leases by its own. */
  readonly clock?: () => number
  /**
   * For a start alongside the process to be replaced, at its addresses. If that process has the database to itself, this one holds requests,
   * reports that by this call, and continues when the other has ended. If they share it, both serve.
   */
  readonly reportWaiting?: () => void
  readonly membership?: Membership
}
