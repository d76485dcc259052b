// The program's counters and timings, in Prometheus' text form.
import type { RequestObservation } from './create-door.ts'
import {
  Counter,
  Gauge,
  Histogram,
  type Metric,
  type MetricFamily,
  metricsContentType,
  renderFamilies,
} from './metric-series.ts'
import { createProcessFigures } from './process-figures.ts'

export type LimitFigures = {
  readonly heldNanoDollars: number
  /** Running calls that hold money. */
  readonly holds: number
  /** Running calls, including those for information. */
  readonly slots: number
}

export type DoorBodyFigures = { readonly bytesInFlight: () => number; readonly waiting: () => number }

export type DiskFigures = { readonly freeBytes: number; readonly sizeBytes: number }

/** The result of the last check of the totals, and its start (Unix ms). */
export type SpendCheckFigures = { readonly wrongTotals: number; readonly at: number }

/** `key`: its id. */
export type KeyFigure = { readonly upstream: string; readonly key: string; readonly isResting: boolean }

/** One team's spend from its current budget, and the rest; null if it has no limit. */
export type TeamFigure = {
  readonly team: string
  readonly spentNano: number
  readonly leftNano: number | null
}

/** The sources of the gauges, read at each scrape. */
export type MetricSources = {
  readonly limits: () => LimitFigures
  /** Why the database is unavailable; null while it is available. */
  readonly storeFailure: () => string | null
  /** How many charges wait for it. */
  readonly unwritten: () => number
  readonly keys: () => readonly KeyFigure[]
  /** Null while unknown. */
  readonly disk: () => DiskFigures | null
  /** Calls that wait for a scarce model. */
  readonly waitingCalls: () => number
  /** Null before the first check. */
  readonly spendCheck: () => SpendCheckFigures | null
  /** True while new connections wait. */
  readonly isHolding: () => boolean
  /** Lost log lines. */
  readonly droppedLines: () => number
}

export type EntryOutcome = 'stored' | 'duplicate' | 'rejected'

export type Metrics = ReturnType<typeof createMetrics>

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const rowsBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

/** The figures of one process. Every label has few values: routes, never paths; models; and teams only if that is switched on. */
export function createMetrics(system = createProcessFigures()) {
  /** In the order of a scrape. */
  const metrics: Metric[] = []
  const show = <Shown extends Metric>(metric: Shown): Shown => {
    metrics.push(metric)
    return metric
  }
  const count = (name: string, help: string, ...labels: string[]) => show(new Counter(name, help, labels))
  const measure = (name: string, help: string, buckets: readonly number[], ...labels: string[]) =>
    show(new Histogram(name, help, buckets, labels))
  const requests = count('fairgate_requests_total', 'Requests answered.', 'door', 'route', 'status')
  const requestSeconds = measure(
    'fairgate_request_seconds',
    'Time from a request to the end of its reply.',
    secondsBuckets,
    'door',
    'route',
  )
  const upstreamSeconds = measure(
    'fairgate_upstream_seconds',
    'Duration of calls to the model provider.',
    secondsBuckets,
  )
  const tokens = count('fairgate_tokens_total', 'Tokens charged.', 'kind', 'model')
  const cost = count('fairgate_cost_usd_total', 'US dollars charged.', 'model')
  const flagged = count(
    'fairgate_charges_flagged_total',
    'Charges other than usage times price, by reason.',
    'flag',
  )
  const refunds = count(
    'fairgate_refunded_usd_total',
    'US dollars refunded for videos that failed after they were charged.',
    'model',
  )
  const refusals = count('fairgate_refusals_total', 'Calls refused by a limit.', 'code', 'level')
  const bodyRefusals = count(
    'fairgate_body_refusals_total',
    'Requests refused because request bodies had used all of their memory.',
    'door',
    'cause',
  )
  const cutStreams = count(
    'fairgate_streams_cut_total',
    'Streams ended because the client read nothing for too long (stalled) or because they ran for too long (overdue).',
    'reason',
  )
  const entries = count('fairgate_ingest_entries_total', 'Log entries received.', 'outcome')
  const commitRows = measure('fairgate_charge_commit_rows', 'Charges that shared one commit.', rowsBuckets)
  const admissionCalls = measure(
    'fairgate_admission_batch_calls',
    'Calls decided together by one database query, if limits are shared.',
    rowsBuckets,
  )
  const commitSeconds = measure(
    'fairgate_charge_commit_seconds',
    'Duration of a commit of charges.',
    secondsBuckets,
  )
  const gauge = (name: string, help: string, read: ConstructorParameters<typeof Gauge>[2]) =>
    show(new Gauge(name, help, read))
  const sources: { -readonly [Name in keyof MetricSources]: MetricSources[Name] } = {
    limits: () => ({ heldNanoDollars: 0, holds: 0, slots: 0 }),
    storeFailure: () => null,
    unwritten: () => 0,
    keys: () => [],
    disk: () => null,
    waitingCalls: () => 0,
    spendCheck: () => null,
    isHolding: () => false,
    droppedLines: () => 0,
  }
  gauge('fairgate_holds', 'Running calls that hold budget.', () => sources.limits().holds)
  gauge(
    'fairgate_held_usd',
    'US dollars held by running calls.',
    () => sources.limits().heldNanoDollars / 1e9,
  )
  gauge('fairgate_running_slots', 'Parallel slots in use.', () => sources.limits().slots)
  const doorBodies: [string, DoorBodyFigures][] = []
  const readDoors = (figure: keyof DoorBodyFigures) => () =>
    doorBodies.map(([door, figures]) => ({ labels: { door }, value: figures[figure]() }))
  gauge('fairgate_body_bytes', 'Bytes of request bodies in memory.', readDoors('bytesInFlight'))
  gauge('fairgate_bodies_waiting', 'Request bodies waiting for memory, still unread.', readDoors('waiting'))
  gauge('fairgate_store_healthy', '1 while the database can be read and written, else 0.', () =>
    sources.storeFailure() === null ? 1 : 0,
  )
  gauge('fairgate_store_failure', '1 for the reason why the database is unavailable.', () => {
    const reason = sources.storeFailure()
    return reason === null ? null : [{ labels: { reason }, value: 1 }]
  })
  gauge('fairgate_unwritten_charges', 'Charges waiting to be written after a failure.', () =>
    sources.unwritten(),
  )
  const tries = count(
    'fairgate_upstream_calls_total',
    'Attempts at each upstream by outcome: ok, client_left or the error code.',
    'upstream',
    'outcome',
  )
  gauge(
    'fairgate_upstream_key_benched',
    '1 while an upstream key is benched, otherwise 0; key: its id.',
    () =>
      sources
        .keys()
        .map(({ upstream, key, isResting }) => ({ labels: { upstream, key }, value: isResting ? 1 : 0 })),
  )
  // Without a figure there is no line: 0 would raise alarms.
  gauge(
    'fairgate_disk_free_bytes',
    'Free space on the disk of the data folder.',
    () => sources.disk()?.freeBytes ?? null,
  )
  gauge(
    'fairgate_disk_size_bytes',
    'Size of the disk of the data folder.',
    () => sources.disk()?.sizeBytes ?? null,
  )
  gauge('fairgate_waiting_calls', 'Calls waiting for a model that all teams together have used up.', () =>
    sources.waitingCalls(),
  )
  gauge(
    'fairgate_wrong_totals',
    'Ledger totals that differ from the sum of their rows, as of the last hourly check.',
    () => sources.spendCheck()?.wrongTotals ?? null,
  )
  gauge('fairgate_totals_proven_timestamp_seconds', 'Start of that check, in Unix time.', () => {
    const proof = sources.spendCheck()
    return proof === null ? null : proof.at / 1000
  })
  gauge('fairgate_connections_held', '1 while new connections wait for file descriptors.', () =>
    sources.isHolding() ? 1 : 0,
  )
  gauge('fairgate_log_lines_dropped', 'Log lines that could not be written.', () => sources.droppedLines())
  gauge('fairgate_resident_memory_bytes', 'Resident memory of the process.', system.residentBytes)
  const { maximumDescriptors } = system
  if (maximumDescriptors !== null) {
    gauge(
      'process_open_fds',
      'Open file descriptors. New connections wait before process_max_fds is reached.',
      () => system.openDescriptors() ?? 0,
    )
    gauge('process_max_fds', 'Maximum number of open file descriptors.', () => maximumDescriptors)
  }

  const readFamilies = (): MetricFamily[] => metrics.map(metric => metric.read())

  return Object.freeze({
    observeRequest: ({ door, route, status, seconds }: RequestObservation): void => {
      requests.add(1, door, route, status)
      requestSeconds.observe(seconds, door, route)
    },
    countTry: (upstream: string, outcome: string): void => tries.add(1, upstream, outcome),
    observeUpstream: (milliseconds: number): void => upstreamSeconds.observe(milliseconds / 1000),
    /** `units`: how many of each kind (input, output, …) were charged. */
    observeCharge: (
      model: string,
      units: Readonly<Record<string, number | undefined>>,
      nanoDollars: number,
      flag: string | null,
    ): void => {
      if (flag !== null) flagged.add(1, flag)
      for (const kind in units) {
        const count = units[kind] ?? 0
        if (count > 0) tokens.add(count, kind, model)
      }
      cost.add(nanoDollars / 1e9, model)
    },
    observeRefund: (model: string, nanoDollars: number): void => refunds.add(nanoDollars / 1e9, model),
    observeRefusal: (code: string, level: string): void => refusals.add(1, code, level),
    observeBodyRefusal: (door: string, cause: string): void => bodyRefusals.add(1, door, cause),
    /** The source of the body gauges: a door's figures, read at each scrape. */
    watchBodies: (door: string, figures: DoorBodyFigures): void => {
      doorBodies.push([door, figures])
    },
    observeCutStream: (reason: 'stalled' | 'overdue'): void => cutStreams.add(1, reason),
    observeEntries: (outcome: EntryOutcome, count: number): void => {
      if (count > 0) entries.add(count, outcome)
    },
    observeAdmissions: (calls: number): void => admissionCalls.observe(calls),
    observeCommit: (rows: number, seconds: number): void => {
      commitRows.observe(rows)
      commitSeconds.observe(seconds)
    },
    /** From now on the gauges read these. */
    watch: (given: Partial<MetricSources>): void => void Object.assign(sources, given),
    /** Figures by team, if switched on: `read` at each scrape. Returns the counter of a team's refused calls. */
    showTeams: (read: () => readonly TeamFigure[]): ((team: string) => void) => {
      const showFigure = (name: string, help: string, figure: 'spentNano' | 'leftNano') =>
        gauge(name, help, () =>
          read().flatMap(({ team, [figure]: nano }) =>
            nano === null ? [] : [{ labels: { team }, value: nano / 1e9 }],
          ),
        )
      showFigure(
        'fairgate_team_spend_usd',
        'US dollars that the team has spent in its current period.',
        'spentNano',
      )
      showFigure('fairgate_team_left_usd', 'US dollars left in the budget of the team.', 'leftNano')
      const refused = count('fairgate_team_refusals_total', 'Calls of the team that were refused.', 'team')
      return team => refused.add(1, team)
    },
    read: readFamilies,
    render: (): string => renderFamilies(readFamilies()),
  })
}

/** The page of a scrape. `scrape` resolves with null if the figures are unavailable. */
export async function answerMetrics(scrape: () => string | Promise<string | null>): Promise<Response> {
  const text = await scrape()
  if (text === null) return new Response('Metrics are currently unavailable.\n', { status: 503 })
  return new Response(text, { headers: { 'content-type': metricsContentType } })
}
