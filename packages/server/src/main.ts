// The composition root: reads the configuration, builds every part once, opens the doors, and takes them down again.

import { randomBytes, randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { buildProgram } from '@fairgate/recorder/build-program.ts'
import { findNameHere } from './catalog/find-name-here.ts'
import { loadCatalog } from './catalog/load-catalog.ts'
import { createReloadableCatalog, type ReloadableCatalog } from './catalog/reloadable-catalog.ts'
import type { Catalog } from './catalog/types.ts'
import type { UpstreamKinds } from './catalog/upstream-kinds.ts'
import { buildConfig, type Config } from './config/config.ts'
import { readEnvironment, refuseUnknownVariables } from './config/environment.ts'
import { loadSecrets, readDatabaseUrl, readUpstreamKeys, type Secrets } from './config/secrets.ts'
import { createDirectory } from './directory/create-directory.ts'
import { createLog, type Log, type OpenLog } from './http/log.ts'
import { createMetrics } from './http/metrics.ts'
import { loadTotals } from './limits/load-totals.ts'
import { createMemoryLimits } from './limits/memory/create-memory-limits.ts'
import { createOwnerRecords } from './limits/owner-records.ts'
import { createWindowJournal } from './limits/windows/create-window-journal.ts'
import { recallWindows } from './limits/windows/recall-windows.ts'
import { createEntryPreparer } from './logbook/accept-entries/create-entry-preparer.ts'
import { createEntriesReader } from './logbook/list-entries/create-entries-reader.ts'
import { createPace } from './logbook/list-entries/pace-reads.ts'
import { createPrograms } from './logbook/serve-recorder/create-programs.ts'
import { createTeamVerifier } from './logbook/verify-chain/create-team-verifier.ts'
import { createMp3Encoder } from './media/mp3-encoder.ts'
import { buildRecorderPrograms } from './start/build-recorder-programs.ts'
import { createDemoTeam } from './start/create-demo-team.ts'
import { createDoors } from './start/create-doors.ts'
import { createReload, warnOfRetirement } from './start/create-reload.ts'
import { createUpstreams, type UpstreamKeys } from './start/create-upstreams.ts'
import { createVideos } from './start/create-videos.ts'
import { type DoorUrls, describeStart } from './start/describe-start.ts'
import { drain } from './start/drain.ts'
import { type HeldNotices, holdNotices } from './start/hold-notices.ts'
import { listen } from './start/listen.ts'
import { readDiskSpace } from './start/read-disk-space.ts'
import { createUpstreamReports } from './start/report-upstream-tries.ts'
import { serveMetrics } from './start/serve-metrics.ts'
import { createSteadyClock } from './start/steady-clock.ts'
import { takeOver, type WaitingDoors } from './start/take-over.ts'
import { watchCharges } from './start/watch-charges.ts'
import { watchDisk } from './start/watch-disk.ts'
import { createLedgerWriter } from './store/ledger-writer.ts'
import { openPostgresStore } from './store/postgres/open-postgres-store.ts'
import { openSqliteStore } from './store/sqlite/open-sqlite-store.ts'
import type { Store, StoreReports } from './store/store.ts'
import { isReportedByStore } from './store/store-unavailable.ts'
import { tidyIdempotentCalls } from './store/tidy-idempotent-calls.ts'
import { createByteBudget } from './upstream/byte-budget.ts'
import { createImageInliner } from './upstream/remote-media/create-image-inliner.ts'

export type Variables = Readonly<Record<string, string | undefined>>

export type RunningServer = DoorUrls & {
  readonly log: Log
  /** What to tell the person who started it. */
  readonly announcement: string
  /** Logs what the start has found out; call it when the announcement is out. */
  readonly releaseNotices: () => void
  /** Reads the catalog of models again; a faulty one is reported in the log, and the one in force stays. */
  readonly reload: () => void
  /**
   * Takes no new requests, lets running ones end within the configured time, writes everything, closes. False when something was lost.
   * `isAnnounced`: first `/health/ready` is 503 for the configured time, while requests are still taken.
   */
  readonly stop: (how?: { readonly isAnnounced: boolean }) => Promise<boolean>
}

export type StartOptions = {
  /** Unix ms, in place of the real one. */
  readonly clock?: () => number
  /**
   * Where another process has the database, this one opens its doors beside it, lets requests wait there, says so with this call,
   * and goes on when the other has ended.
   */
  readonly reportWaiting?: () => void
}

/** Throws an Error that names the setting, file or port at fault. */
export async function startServer(
  variables: Variables,
  { clock: ownClock, reportWaiting }: StartOptions = {},
): Promise<RunningServer> {
  const wallClock = ownClock ?? Date.now
  const clock = ownClock ?? createSteadyClock(wallClock, () => performance.now())
  const environment = readEnvironment(variables)
  const config = buildConfig(environment)
  refuseUnknownVariables(
    variables,
    config.upstreams.map(({ keyVariable }) => keyVariable),
  )
  const upstreamKeys = new Map(
    config.upstreams.map(entry => [entry.name, readUpstreamKeys(variables, entry)]),
  )
  const kinds: UpstreamKinds = new Map([
    ['vendor', 'vendor'],
    ...config.upstreams.map(({ name, kind }) => [name, kind] as const),
  ])
  const reloadable = createReloadableCatalog(() => loadCatalog(config.modelsFile, kinds))
  const databaseUrl = readDatabaseUrl(environment)
  const openLog = createLog({
    level: config.settings.log_level,
    pretty: isatty(1),
  })
  const { log } = openLog
  const notices = holdNotices(log)
  const reports: StoreReports = {
    reportFailure: (error, reason) =>
      log.error(
        { err: error, reason },
        'The database cannot be used: paid calls and new entries are refused.',
      ),
    reportRecovery: reason => log.warn({ reason }, 'The database can be used again.'),
  }
  const openStore = async (patience: { readonly patienceMs?: number }): Promise<Store> =>
    databaseUrl === null
      ? await openSqliteStore(config.dataFolder, { ...reports, ...patience })
      : await openPostgresStore({ connectionString: databaseUrl, ...reports, ...patience })
  const { store, waitingDoors } =
    reportWaiting === undefined
      ? { store: await openStore({}), waitingDoors: null }
      : await takeOver({ config, openStore, reportWaiting })
  try {
    const secrets = loadSecrets(environment, config.dataFolder, randomBytes)
    return await assemble({
      config,
      secrets,
      upstreamKeys,
      reloadable,
      clock,
      wallClock,
      store,
      waitingDoors,
      openLog,
      notices,
    })
  } catch (error) {
    notices.release()
    await waitingDoors?.close()
    await store.close()
    throw error
  }
}

async function assemble(parts: {
  readonly config: Config
  readonly secrets: Secrets
  readonly upstreamKeys: UpstreamKeys
  readonly reloadable: ReloadableCatalog
  readonly clock: () => number
  readonly wallClock: () => number
  readonly store: Store
  readonly waitingDoors: WaitingDoors | null
  readonly openLog: OpenLog
  readonly notices: HeldNotices
}): Promise<RunningServer> {
  const { config, secrets, upstreamKeys, reloadable, clock, wallClock, store } = parts
  const { waitingDoors, openLog, notices } = parts
  const { log } = openLog
  const { catalog } = reloadable
  const { settings } = config
  const metrics = createMetrics()
  warnOfRetirement(catalog, clock(), notices)

  const openStreams = await store.read.readOpenStreams()
  const { charged } = await store.write.chargeInterruptedStreams({ now: clock() })
  if (charged > 0)
    notices.warn({ streams: charged }, 'Streams that a crash had cut were charged as far as they came.')
  const { failed } = await store.write.failInterruptedVideoTasks({ now: clock() })
  if (failed > 0)
    notices.warn({ videos: failed }, 'Videos that were being ordered when the server stopped were refunded.')
  const limits = createMemoryLimits({ clock })
  loadTotals(limits, await store.read.readTotals())
  const { lastSequence } = await recallWindows({
    read: store.read,
    limits,
    clock,
    openStreams,
    reportDamage: rows =>
      notices.warn(
        { rows },
        'Rows about the windows of the last minute were damaged; the charges stand in for them.',
      ),
  })
  metrics.watchLimits(limits.totals)
  metrics.watchLog(openLog.droppedLines)
  const directory = await createDirectory({
    store,
    clock,
    randomBytes,
    newId: randomUUID,
    resolveModel: name => catalog.find(name)?.id ?? findCalledHere(catalog, name),
    defaultMaxParallelRequests: settings.limits.default_max_parallel_requests,
  })
  const writer = createLedgerWriter({
    commit: store.write.commitLedger,
    gatherWindows: createWindowJournal({ gather: limits.gatherWindows, clock, wallClock, lastSequence }),
    reportWindowFailure: unlessReported(error =>
      log.warn({ err: error }, 'What the windows hold could not be written; it is tried again each second.'),
    ),
    every,
    observeCommit: metrics.observeCommit,
    // Tried again each second: what the store has told is not told again each time.
    reportFailure: unlessReported((error, rows: number) =>
      log.error({ err: error, rows }, 'Charges could not be written; they are retried.'),
    ),
    monotonicMs: () => performance.now(),
    nextTurn: () => new Promise(resolve => setImmediate(resolve)),
  })
  const stopTidying = tidyIdempotentCalls({
    store,
    every,
    clock,
    reportFailure: unlessReported(error =>
      log.warn({ err: error }, 'The answers kept for idempotency keys could not be tidied.'),
    ),
  })
  metrics.watchStore(store.health.failure, writer.countUnwritten)
  const disk = await watchDisk({
    readSpace: () => readDiskSpace(config.dataFolder),
    every,
    warnBelowBytes: settings.warn_free_mebibytes * mebibyte,
    warn: ({ freeBytes }) =>
      log.warn(
        { free_bytes: freeBytes, folder: config.dataFolder },
        'The disk is filling up: without room no call and no entry is taken.',
      ),
    reportRecovery: ({ freeBytes }) => log.info({ free_bytes: freeBytes }, 'The disk has room again.'),
  })
  metrics.watchDisk(disk.space)
  const preparer = createEntryPreparer({ clock })

  const upstreams = createUpstreams({
    config,
    secrets,
    upstreamKeys,
    resolve: resolveHost,
    observeUpstream: metrics.observeUpstream,
    reportTryOf: createUpstreamReports({
      log,
      count: metrics.countTry,
      monotonicMs: () => performance.now(),
    }),
  })
  const mp3 = createMp3Encoder()
  const videos = await createVideos({
    config,
    store,
    limits,
    upstream: upstreams.video,
    clock,
    metrics,
    log,
  })
  const { modelsFile } = config
  const reloadCatalog = createReload({ reloadable, modelsFile, directory, clock, log })
  const records = createOwnerRecords({ directory, limits, clock })

  let isReady = false
  let isDraining = false
  let isStopped = false
  /** Nothing that costs money may start while its charge could not be written. */
  const isLedgerHealthy = () => store.health.failure() === null && writer.isHealthy()
  const whyNotReady = () => {
    if (isDraining) return 'draining'
    if (!isReady) return 'starting'
    return store.health.failure() ?? (writer.isHealthy() ? null : 'charges_unwritten')
  }
  const doors = createDoors({
    config,
    adminKey: secrets.adminKey,
    metrics,
    log,
    clock,
    newCallId: () => Bun.randomUUIDv7(),
    isReady: () => whyNotReady() === null,
    isDraining: () => isDraining,
    whyNotReady,
    gateway: {
      catalog,
      limits,
      writer,
      upstream: upstreams.chat,
      media: upstreams.media,
      relay: upstreams.relay,
      encodeMp3: mp3.encode,
      videoUpstream: upstreams.video,
      videoRelay: upstreams.videoRelay,
      noteProgress: videos.noteProgress,
      publicUrl: () => open.gateway?.publicUrl ?? config.doors.gateway.publicUrl,
      videoReads: videos.reads,
      videoWrites: store.write,
      videoFiles: videos.files,
      readFilePart: (path, start, end) => Bun.file(path).slice(start, end),
      newVideoId: () => `video_${randomBytes(16).toString('hex')}`,
      videoDeadlineMs: settings.videos.deadline_minutes * 60_000,
      expectVideo: videos.watch.expect,
      waitToRetry: async () => {
        await setTimeout(1000)
        return !isStopped
      },
      inlineImages: createImageInliner({
        resolve: resolveHost,
        fetch,
        timeoutMs: 15_000,
      }),
      clock,
      records,
      isLedgerHealthy,
      minimumUsefulOutput: settings.limits.min_useful_output,
      maxBodyBytes: settings.limits.max_body_mebibytes * mebibyte,
      countInput: (request, model, outputCap, signal) =>
        upstreams.chat.countTokens({ request, model, outputCap }, signal).catch(() => null),
      observeRefusal: metrics.observeRefusal,
      observeCharge: watchCharges(metrics, log),
      idempotentCalls: store,
      recording: {
        mostBytes: settings.idempotency.max_answer_mebibytes * mebibyte,
        recordedBytes: createByteBudget(settings.idempotency.max_recording_mebibytes * mebibyte),
      },
      reportUnkeptReply: (error, callId) =>
        log.warn({ err: error, call_id: callId }, 'The answer to an idempotent call could not be kept.'),
      reportError: (error, callId) =>
        log.warn({ err: error, call_id: callId }, 'A call ended with an error after its reply had begun.'),
    },
    logbook: {
      store,
      preparer,
      observeEntries: metrics.observeEntries,
      reportFailure: unlessReported(error =>
        log.error({ err: error }, 'Entries could not be written; their sender was told.'),
      ),
    },
    buildRecorder: buildProgram,
    findRecorderPrograms: createPrograms({
      folder: join(config.dataFolder, 'recorder'),
      readSource: buildProgram,
      build: buildRecorderPrograms,
      reportFailure: error =>
        log.warn({ err: error }, 'No stand-alone recorder is served; the script for Node is.'),
      now: clock,
    }),
    admin: {
      directory,
      records,
      catalog: { catalog, reloadCatalog },
      audit: store.read,
      logs: {
        listBoards: store.read.listBoards,
        verifyTeam: createTeamVerifier(store.read),
        entries: createEntriesReader({
          read: store.read,
          pace: createPace({ stopwatch: () => performance.now(), wait: setTimeout }),
        }),
      },
      clock,
    },
  })
  const open = waitingDoors === null ? listen(config, doors) : waitingDoors.open(doors)
  const ownMetrics =
    config.metrics === null
      ? null
      : serveMetrics(config.metrics, { metrics, whyNotReady, isReady: () => whyNotReady() === null })
  // Its credentials are shown once: only where they are of use.
  const isForTrying = config.vendor === null && open.gateway !== undefined && open.logbook !== undefined
  const demo = isForTrying ? await createDemoTeam(directory) : null
  isReady = true

  /** Calls that have ended, whose charges nothing but a restart could write: the drain does not wait for them. */
  const countHopeless = () => {
    const reason = store.health.failure()
    return reason === 'database_damaged' || reason === 'database_in_use' ? writer.countUnwritten() : 0
  }
  const stop = async ({ isAnnounced = false } = {}): Promise<boolean> => {
    isDraining = true
    if (isAnnounced) await setTimeout(settings.drain_announce_seconds * 1000)
    const left = await drain(
      {
        doors: Object.values(open),
        countCalls: () => limits.totals().slots - countHopeless(),
        countStreams: writer.countStreams,
        wait: setTimeout,
      },
      settings.drain_seconds * 1000,
    )
    if (left > 0) log.warn({ requests: left }, 'Requests still ran at the end of the drain and were cut off.')
    await videos.watch.stop()
    stopTidying()
    disk.stop()
    const isWritten = await writer.close()
    isStopped = true
    if (!isWritten) log.error('Charges could not be written before the exit.')
    preparer.close()
    mp3.close()
    await upstreams.stop()
    // Before the database: a successor that takes it over listens there next.
    await ownMetrics?.stop()
    await store.close()
    await openLog.close()
    return isWritten
  }
  const reload = (): void => {
    reloadCatalog('SIGHUP').catch(error =>
      log.error({ err: error }, 'The catalog could not be read again: the one in force stays.'),
    )
  }
  const urls: DoorUrls = {
    gatewayUrl: open.gateway?.url ?? '',
    logbookUrl: open.logbook?.url ?? '',
    adminUrl: open.admin?.url ?? '',
    metricsUrl: ownMetrics?.url ?? '',
  }
  const announcement = describeStart({
    urls,
    config,
    secrets,
    demo,
    now: new Date().toISOString(),
  })
  return {
    ...urls,
    log,
    announcement,
    releaseNotices: notices.release,
    reload,
    stop,
  }
}

/** For an organiser who names a model as its vendor does. */
function findCalledHere(catalog: Catalog, name: string): { readonly calledHere: string } | undefined {
  const calledHere = findNameHere(catalog, name)
  return calledHere === null ? undefined : { calledHere }
}

/** A failure of the store has a line of its own in the log, not one for each who met it. */
function unlessReported<Rest extends unknown[]>(
  report: (error: unknown, ...rest: Rest) => void,
): (error: unknown, ...rest: Rest) => void {
  return (error, ...rest) => {
    if (!isReportedByStore(error)) report(error, ...rest)
  }
}

const mebibyte = 1024 * 1024

async function resolveHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

function every(milliseconds: number, run: () => void): () => void {
  const timer = setInterval(run, milliseconds)
  return () => clearInterval(timer)
}
