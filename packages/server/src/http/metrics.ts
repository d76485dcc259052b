// What the program counts and how long it takes, in Prometheus' text form.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestObservation } from './create-door.ts'
import { createProcessFigures } from './process-figures.ts'

export type LimitFigures = {
  readonly heldNanoDollars: number
  /** Running calls that hold money. */
  readonly holds: number
  /** Running calls, those for information included. */
  readonly slots: number
}

export type DoorBodyFigures = { readonly bytesInFlight: () => number; readonly waiting: () => number }

export type DiskFigures = { readonly freeBytes: number; readonly sizeBytes: number }

export type EntryOutcome = 'stored' | 'duplicate' | 'rejected'

export type Metrics = ReturnType<typeof createMetrics>

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const rowsBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

/** Counters of one process, in a registry of their own. Every label has few values: routes, never paths; models, never teams. */
export function createMetrics(system = createProcessFigures()) {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'fairgate_requests_total',
    help: 'Requests answered.',
    labelNames: ['door', 'route', 'status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: 'fairgate_request_seconds',
    help: 'From the request to the end of its reply.',
    labelNames: ['door', 'route'],
    buckets: secondsBuckets,
    registers,
  })
  const upstreamSeconds = new Histogram({
    name: 'fairgate_upstream_seconds',
    help: 'Time of calls to the model provider.',
    buckets: secondsBuckets,
    registers,
  })
  const tokens = new Counter({
    name: 'fairgate_tokens_total',
    help: 'Tokens charged.',
    labelNames: ['kind', 'model'],
    registers,
  })
  const cost = new Counter({
    name: 'fairgate_cost_usd_total',
    help: 'US dollars charged.',
    labelNames: ['model'],
    registers,
  })
  const flagged = new Counter({
    name: 'fairgate_charges_flagged_total',
    help: 'Charges that are not plain usage times price, by why.',
    labelNames: ['flag'],
    registers,
  })
  const refunds = new Counter({
    name: 'fairgate_refunded_usd_total',
    help: 'US dollars charged for videos that failed later, and given back.',
    labelNames: ['model'],
    registers,
  })
  const refusals = new Counter({
    name: 'fairgate_refusals_total',
    help: 'Calls refused by a limit.',
    labelNames: ['code', 'level'],
    registers,
  })
  const bodyRefusals = new Counter({
    name: 'fairgate_body_refusals_total',
    help: 'Requests refused because bodies took all the memory that they may take.',
    labelNames: ['door', 'cause'],
    registers,
  })
  const cutStreams = new Counter({
    name: 'fairgate_streams_cut_total',
    help: 'Streams ended because their client took nothing (stalled) or because they lasted (overdue) for too long.',
    labelNames: ['reason'],
    registers,
  })
  const entries = new Counter({
    name: 'fairgate_ingest_entries_total',
    help: 'Log entries received.',
    labelNames: ['outcome'],
    registers,
  })
  const commitRows = new Histogram({
    name: 'fairgate_charge_commit_rows',
    help: 'Charges that shared one commit.',
    buckets: rowsBuckets,
    registers,
  })
  const commitSeconds = new Histogram({
    name: 'fairgate_charge_commit_seconds',
    help: 'Time of a commit of charges.',
    buckets: secondsBuckets,
    registers,
  })
  let readLimits = (): LimitFigures => ({ heldNanoDollars: 0, holds: 0, slots: 0 })
  const watch = (name: string, help: string, read: () => number) => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }
  watch('fairgate_holds', 'Running calls that hold budget.', () => readLimits().holds)
  watch('fairgate_held_usd', 'US dollars held by running calls.', () => readLimits().heldNanoDollars / 1e9)
  watch('fairgate_running_slots', 'Parallel slots taken.', () => readLimits().slots)
  const doorBodies: [string, DoorBodyFigures][] = []
  const watchDoors = (name: string, help: string, read: (figures: DoorBodyFigures) => number) => {
    new Gauge({
      name,
      help,
      labelNames: ['door'],
      registers,
      collect() {
        for (const [door, figures] of doorBodies) this.set({ door }, read(figures))
      },
    })
  }
  watchDoors('fairgate_body_bytes', 'Bytes of request bodies in memory.', figures => figures.bytesInFlight())
  watchDoors('fairgate_bodies_waiting', 'Request bodies that wait unread for room.', figures =>
    figures.waiting(),
  )
  let readStoreFailure = (): string | null => null
  watch('fairgate_store_healthy', '1 while the database can be read and written, else 0.', () =>
    readStoreFailure() === null ? 1 : 0,
  )
  new Gauge({
    name: 'fairgate_store_failure',
    help: '1 for the reason for which the database cannot be used.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      const reason = readStoreFailure()
      if (reason !== null) this.set({ reason }, 1)
    },
  })
  let countUnwritten = () => 0
  watch('fairgate_unwritten_charges', 'Charges that wait to be written since a failure.', () =>
    countUnwritten(),
  )
  let readDroppedLines = (): number => 0
  /** Added up apart and shown at a scrape: 0.05 µs a call, where a counter with labels takes 1.3. */
  const tries = new Map<string, Map<string, number>>()
  new Counter({
    name: 'fairgate_upstream_calls_total',
    help: 'Tries at each upstream by what became of them: ok, client_left, or the code of the error.',
    labelNames: ['upstream', 'outcome'],
    registers,
    collect() {
      this.reset()
      for (const [upstream, outcomes] of tries)
        for (const [outcome, count] of outcomes) this.inc({ upstream, outcome }, count)
    },
  })
  let readDisk = (): DiskFigures | null => null
  const watchDiskFigure = (name: string, help: string, read: (figures: DiskFigures) => number) => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        // Without a figure there is no line: 0 would raise alarms.
        this.remove()
        const figures = readDisk()
        if (figures !== null) this.set(read(figures))
      },
    })
  }
  watchDiskFigure(
    'fairgate_disk_free_bytes',
    'Free space of the disk of the data folder.',
    disk => disk.freeBytes,
  )
  watchDiskFigure('fairgate_disk_size_bytes', 'Size of the disk of the data folder.', disk => disk.sizeBytes)
  watch('fairgate_log_lines_dropped', 'Lines of the log that could not be written.', () => readDroppedLines())
  watch('fairgate_resident_memory_bytes', 'Resident memory of the process.', system.residentBytes)
  const { maximumDescriptors } = system
  if (maximumDescriptors !== null) {
    watch(
      'process_open_fds',
      'Open file descriptors. At process_max_fds no connection is accepted.',
      () => system.openDescriptors() ?? 0,
    )
    watch('process_max_fds', 'Most file descriptors that may be open.', () => maximumDescriptors)
  }

  return Object.freeze({
    observeRequest: ({ door, route, status, seconds }: RequestObservation): void => {
      requests.inc({ door, route, status })
      requestSeconds.observe({ door, route }, seconds)
    },
    countTry: (upstream: string, outcome: string): void => {
      const outcomes = tries.get(upstream) ?? new Map<string, number>()
      tries.set(upstream, outcomes)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    },
    observeUpstream: (milliseconds: number): void => upstreamSeconds.observe(milliseconds / 1000),
    /** `units`: how many of each kind (input, output, …) were charged. */
    observeCharge: (
      model: string,
      units: Readonly<Record<string, number | undefined>>,
      nanoDollars: number,
      flag: string | null,
    ): void => {
      if (flag !== null) flagged.inc({ flag })
      for (const [kind, count] of Object.entries(units)) {
        if (count !== undefined && count > 0) tokens.inc({ kind, model }, count)
      }
      cost.inc({ model }, nanoDollars / 1e9)
    },
    observeRefund: (model: string, nanoDollars: number): void => refunds.inc({ model }, nanoDollars / 1e9),
    observeRefusal: (code: string, level: string): void => refusals.inc({ code, level }),
    observeBodyRefusal: (door: string, cause: string): void => bodyRefusals.inc({ door, cause }),
    /** Where the gauges of bodies read a door's figures, at each scrape. */
    watchBodies: (door: string, figures: DoorBodyFigures): void => {
      doorBodies.push([door, figures])
    },
    observeCutStream: (reason: 'stalled' | 'overdue'): void => cutStreams.inc({ reason }),
    observeEntries: (outcome: EntryOutcome, count: number): void => {
      if (count > 0) entries.inc({ outcome }, count)
    },
    observeCommit: (rows: number, seconds: number): void => {
      commitRows.observe(rows)
      commitSeconds.observe(seconds)
    },
    /** Where the gauges of holds and slots read their figures, at each scrape. */
    watchLimits: (read: () => LimitFigures): void => {
      readLimits = read
    },
    /** Why the database cannot be used, null while it can; and how many charges wait for it. */
    watchStore: (readFailure: () => string | null, countWaiting: () => number): void => {
      readStoreFailure = readFailure
      countUnwritten = countWaiting
    },
    /** Where the space of the data folder's disk is read; null while it is not known. */
    watchDisk: (read: () => DiskFigures | null): void => {
      readDisk = read
    },
    /** Where the number of lost lines of the log is read. */
    watchLog: (read: () => number): void => {
      readDroppedLines = read
    },
    /** Prometheus' text, version 0.0.4. */
    render: (): Promise<string> => registry.metrics(),
    contentType: registry.contentType,
  })
}
