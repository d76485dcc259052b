// The composition root: reads the configuration, builds every part once, opens the doors, and takes them down again.
import { randomBytes, randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { setTimeout } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { buildProgram } from '@fairgate/recorder/build-program.ts'
import { loadCatalog } from './catalog/load-catalog.ts'
import { createReloadableCatalog, type ReloadableCatalog } from './catalog/reloadable-catalog.ts'
import type { UpstreamKinds } from './catalog/upstream-kinds.ts'
import { buildConfig, type Config } from './config/config.ts'
import { readEnvironment } from './config/environment.ts'
import { loadSecrets, readDatabaseUrl, readUpstreamKeys, type Secrets } from './config/secrets.ts'
import { createDirectory } from './directory/create-directory.ts'
import { createLog, type Log, type OpenLog } from './http/log.ts'
import { createMetrics } from './http/metrics.ts'
import { loadTotals } from './limits/load-totals.ts'
import { createMemoryLimits } from './limits/memory/create-memory-limits.ts'
import { createOwnerRecords } from './limits/owner-records.ts'
import { createEntryPreparer } from './logbook/accept-entries/create-entry-preparer.ts'
import { createTeamVerifier } from './logbook/verify-chain/create-team-verifier.ts'
import { createMp3Encoder } from './media/mp3-encoder.ts'
import { createDemoTeam } from './start/create-demo-team.ts'
import { createDoors } from './start/create-doors.ts'
import { createReload, warnOfRetirement } from './start/create-reload.ts'
import { createUpstreams, type UpstreamKeys } from './start/create-upstreams.ts'
import { createVideos } from './start/create-videos.ts'
import { describeStart } from './start/describe-start.ts'
import { drain } from './start/drain.ts'
import { listen } from './start/listen.ts'
import { createSteadyClock } from './start/steady-clock.ts'
import { createLedgerWriter } from './store/ledger-writer.ts'
import { openPostgresStore } from './store/postgres/open-postgres-store.ts'
import { openSqliteStore } from './store/sqlite/open-sqlite-store.ts'
import type { Store } from './store/store.ts'
import { tidyIdempotentCalls } from './store/tidy-idempotent-calls.ts'
import { createImageInliner } from './upstream/remote-media/create-image-inliner.ts'

export type Variables = Readonly<Record<string, string | undefined>>

export type RunningServer = {
  readonly gatewayUrl: string
  readonly logbookUrl: string
  readonly adminUrl: string
  readonly log: Log
  /** What to tell the person who started it. */
  readonly announcement: string
  /** Reads the catalog of models anew; a faulty one is reported in the log, and the one in force stays. */
  readonly reload: () => void
  /** Takes no new requests, lets running ones end within the configured time, writes everything, closes. False when something was lost. */
  readonly stop: () => Promise<boolean>
}

/** `clock`: Unix ms. Throws an Error that names the setting, file or port at fault. */
export async function startServer(
  variables: Variables,
  clock = createSteadyClock(Date.now, () => performance.now()),
): Promise<RunningServer> {
  const environment = readEnvironment(variables)
  const config = buildConfig(environment)
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
  const store =
    databaseUrl === null
      ? await openSqliteStore(config.dataFolder)
      : await openPostgresStore({
          connectionString: databaseUrl,
          reportFailure: error => log.error({ err: error }, 'The connection to the database was lost.'),
        })
  try {
    const secrets = loadSecrets(environment, config.dataFolder, randomBytes)
    return await assemble({ config, secrets, upstreamKeys, reloadable, clock, store, openLog })
  } catch (error) {
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
  readonly store: Store
  readonly openLog: OpenLog
}): Promise<RunningServer> {
  const { config, secrets, upstreamKeys, reloadable, clock, store, openLog } = parts
  const { log } = openLog
  const { catalog } = reloadable
  const { settings } = config
  const metrics = createMetrics()
  warnOfRetirement(catalog, clock(), log)

  const { charged } = await store.write.chargeInterruptedStreams({ now: clock() })
  if (charged > 0)
    log.warn({ streams: charged }, 'Streams that a crash had cut were charged as far as they came.')
  const { failed } = await store.write.failInterruptedVideoTasks({ now: clock() })
  if (failed > 0)
    log.warn({ videos: failed }, 'Videos that were being ordered when the server stopped were refunded.')
  const limits = createMemoryLimits({ clock })
  loadTotals(limits, await store.read.readTotals())
  metrics.watchLimits(limits.totals)
  metrics.watchLog(openLog.droppedLines)
  const directory = await createDirectory({
    store,
    clock,
    randomBytes,
    newId: randomUUID,
    resolveModel: name => catalog.find(name)?.id,
    defaultMaxParallelRequests: settings.limits.default_max_parallel_requests,
  })
  const writer = createLedgerWriter({
    commit: store.write.commitLedger,
    every,
    observeCommit: metrics.observeCommit,
    reportFailure: (error, rows) =>
      log.error({ err: error, rows }, 'Charges could not be written; they are retried.'),
    monotonicMs: () => performance.now(),
    nextTurn: () => new Promise(resolve => setImmediate(resolve)),
  })
  const stopTidying = tidyIdempotentCalls({
    store,
    every,
    clock,
    reportFailure: error =>
      log.warn({ err: error }, 'The answers kept for idempotency keys could not be tidied.'),
  })
  const preparer = createEntryPreparer({ clock })

  const upstreams = createUpstreams({
    config,
    secrets,
    upstreamKeys,
    observeUpstream: metrics.observeUpstream,
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
  let isStopped = false
  const doors = createDoors({
    config,
    adminKey: secrets.adminKey,
    metrics,
    log,
    clock,
    newCallId: () => Bun.randomUUIDv7(),
    isReady: () => isReady && writer.isHealthy(),
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
      publicUrl: () => open.gateway.publicUrl,
      videoReads: videos.reads,
      videoWrites: store.write,
      films: videos.films,
      readFilePart: (path, start, end) => Bun.file(path).slice(start, end),
      newVideoId: () => `video_${randomBytes(16).toString('hex')}`,
      videoDeadlineMs: settings.videos.deadline_minutes * 60_000,
      expectVideo: videos.watch.expect,
      waitToRetry: async () => {
        await setTimeout(1000)
        return !isStopped
      },
      inlineImages: createImageInliner({
        resolve: async host => (await lookup(host, { all: true })).map(({ address }) => address),
        fetch,
        timeoutMs: 15_000,
      }),
      clock,
      records,
      isLedgerHealthy: writer.isHealthy,
      minimumUsefulOutput: settings.limits.min_useful_output,
      maxBodyBytes: settings.limits.max_body_mebibytes * 1024 * 1024,
      countInput: (request, model, outputCap, signal) =>
        upstreams.chat.countTokens({ request, model, outputCap }, signal).catch(() => null),
      observeRefusal: metrics.observeRefusal,
      observeCharge: ({ admitted, units, cost }) => metrics.observeCharge(admitted.model.id, units, cost),
      idempotentCalls: store,
      reportUnkeptReply: (error, callId) =>
        log.warn({ err: error, call_id: callId }, 'The answer to an idempotent call could not be kept.'),
      reportError: (error, callId) =>
        log.warn({ err: error, call_id: callId }, 'A call ended with an error after its reply had begun.'),
    },
    logbook: {
      store,
      preparer,
      observeEntries: metrics.observeEntries,
      reportFailure: error =>
        log.error({ err: error }, 'Entries could not be written; their sender was told.'),
    },
    buildRecorder: buildProgram,
    admin: {
      directory,
      store,
      limits,
      clock,
      verifyTeam: createTeamVerifier(store.read),
      catalog,
      reloadCatalog,
    },
  })
  const open = listen(config, doors)
  const demo = config.vendor === null ? await createDemoTeam(directory) : null
  isReady = true

  const stop = async (): Promise<boolean> => {
    isReady = false
    const left = await drain(
      {
        doors: Object.values(open),
        countCalls: () => limits.totals().slots,
        countStreams: writer.countStreams,
        wait: setTimeout,
      },
      settings.drain_seconds * 1000,
    )
    if (left > 0) log.warn({ requests: left }, 'Requests still ran at the end of the drain and were cut off.')
    await videos.watch.stop()
    stopTidying()
    const isWritten = await writer.close()
    isStopped = true
    if (!isWritten) log.error('Charges could not be written before the exit.')
    preparer.close()
    mp3.close()
    await upstreams.stop()
    await store.close()
    await openLog.close()
    return isWritten
  }
  const reload = (): void => {
    reloadCatalog('SIGHUP').catch(error =>
      log.error({ err: error }, 'The catalog could not be read anew: the one in force stays.'),
    )
  }
  const announcement = describeStart({
    gatewayUrl: open.gateway.url,
    logbookUrl: open.logbook.url,
    adminUrl: open.admin.url,
    config,
    secrets,
    demo,
    now: new Date().toISOString(),
  })
  return {
    gatewayUrl: open.gateway.url,
    logbookUrl: open.logbook.url,
    adminUrl: open.admin.url,
    log,
    announcement,
    reload,
    stop,
  }
}

function every(milliseconds: number, run: () => void): () => void {
  const timer = setInterval(run, milliseconds)
  return () => clearInterval(timer)
}
