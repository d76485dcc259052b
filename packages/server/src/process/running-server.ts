// What a start is given, and what it answers: a server that runs.
import type { DoorName } from '../config/listener-settings.ts'
import type { Log } from '../http/log.ts'
import type { MetricFamily } from '../http/metric-series.ts'
import type { WaitingDoors } from './take-over.ts'

/** The address of a door that is not opened is empty. */
export type DoorUrls = {
  readonly gatewayUrl: string
  readonly logbookUrl: string
  readonly adminUrl: string
  /** The address for `/metrics` alone. */
  readonly metricsUrl: string
}

/** How this process shares addresses with others. */
export type Place = {
  readonly waitingDoors: WaitingDoors | null
  /** Null where this one has them to itself. */
  readonly sharing: { readonly isBesideOthers: boolean } | null
}

export type RunningServer = DoorUrls & {
  readonly log: Log
  /** What to tell the person who started it. */
  readonly announcement: string
  /** Logs what the start has found out; call it when the announcement is out. */
  readonly releaseNotices: () => void
  /** Reads the catalog of models and the files of keys again. A fault is reported in the log, and what is in force stays. */
  readonly reload: () => void
  readonly readFigures: () => readonly MetricFamily[]
  /** Builds the pages for browsers if that has not been done, so that the first reader does not wait. Never rejects. */
  readonly preparePages: () => Promise<void>
  /** Of the doors that are open. */
  readonly ports: Readonly<Partial<Record<DoorName | 'metrics', number>>>
  /** The longest that `stop` takes when all goes well. */
  readonly longestStopMs: number
  /**
   * Takes no new requests, lets running ones end within the configured time, writes everything, closes. False when something was lost.
   * `announced`: `/health/ready` answers 503 for the configured time first, while requests are still taken. `replaced`: clients first
   * move to another process at the same addresses.
   */
  readonly stop: (how?: StopManner) => Promise<boolean>
}

export type StopManner = 'at once' | 'announced' | 'replaced'

/** A process among others at the same addresses. */
export type Membership = {
  /** Whether the others have the addresses already. */
  readonly isBesideOthers: boolean
  /** Whether a person reads the log. */
  readonly isTerminal: boolean
  /** The one sandbox of all; null where calls go to a real vendor. */
  readonly sandboxUrl: string | null
  /** The figures of all processes as one scrape; null when they are not to be had. */
  readonly scrape: () => Promise<string | null>
}

export type StartOptions = {
  /** Unix ms, in place of the real one. PostgreSQL counts limits and leases by its own. */
  readonly clock?: () => number
  /**
   * For a start beside the process that is to be replaced, at its addresses. Where that one has the database for itself, this one lets
   * requests wait, reports so by this call, and goes on when the other has ended. Where they share it, both serve.
   */
  readonly reportWaiting?: () => void
  readonly membership?: Membership
}
