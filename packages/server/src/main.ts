// The composition root: reads the configuration, builds every part once, opens the doors, and takes them down again.
import { randomBytes, randomUUID } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { CallsReader } from './calls/calls-reader.ts'
import { resolveModelName } from './catalog/find-name-here.ts'
import { loadCatalog } from './catalog/load-catalog.ts'
import { createReloadableCatalog, type ReloadableCatalog } from './catalog/reload-catalog.ts'
import type { UpstreamKinds } from './catalog/upstream-kinds.ts'
import { buildConfig, type Config } from './config/config.ts'
import { readEnvironment, refuseUnknownVariables } from './config/environment.ts'
import { loadSecrets, readDatabaseUrl, readDirectUrl, type Secrets } from './config/secrets.ts'
import { readUpstreamKeys, type UpstreamKeys } from './config/upstream-keys.ts'
import { CoverageReader } from './coverage/coverage-reader.ts'
import { createDirectory } from './directory/create-directory.ts'
import { createDigester } from './evidence/create-digester.ts'
import { readJoinRules, shippedJoinRules } from './evidence/read-join-rules.ts'
import { createLog, type Log, type OpenLog } from './http/log.ts'
import { createMetrics } from './http/metrics.ts'
import { createOwnerRecords } from './limits/owner-records.ts'
import { createMp3Encoder } from './media/mp3-encoder.ts'
import { createDemoTeam } from './start/create-demo-team.ts'
import { createDoors } from './start/create-doors.ts'
import { createGatewayParts, resolveHost } from './start/create-gateway-parts.ts'
import { createReload, warnOfRetirement } from './start/create-reload.ts'
import { createUpstreams, writeHealth } from './start/create-upstreams.ts'
import { createVideos } from './start/create-videos.ts'
import { type DoorUrls, describeStart } from './start/describe-start.ts'
import { drain } from './start/drain.ts'
import { type HeldNotices, holdNotices } from './start/hold-notices.ts'
import { listen } from './start/listen.ts'
import { openStore } from './start/open-store.ts'
import { Readiness } from './start/readiness.ts'
import { createUpstreamReports } from './start/report-upstream-tries.ts'
import { serveMetrics } from './start/serve-metrics.ts'
import { startCallRecord } from './start/start-call-record.ts'
import { startLedger } from './start/start-ledger.ts'
import { startLogbook } from './start/start-logbook.ts'
import { createSteadyClock } from './start/steady-clock.ts'
import { takeOver, type WaitingDoors } from './start/take-over.ts'
import { every } from './start/timers.ts'
import { DiskWatch, readDiskSpace } from './start/watch-disk.ts'
import type { Store } from './store/store.ts'

export type Variables = Readonly<Record<string, string | undefined>>

export type RunningServer = DoorUrls & {
  readonly log: Log
  /** What to tell the person who started it. */
  readonly announcement: string
  /** Logs what the start has found out; call it when the announcement is out. */
  readonly releaseNotices: () => void
  /** Reads the catalog of models and the files of keys again. A fault is reported in the log, and what is in force stays. */
  readonly reload: () => void
  /**
   * Takes no new requests, lets running ones end within the configured time, writes everything, closes. False when something was lost.
   * `isAnnounced`: `/health/ready` answers 503 for the configured time first, while requests are still taken.
   */
  readonly stop: (how?: { readonly isAnnounced: boolean }) => Promise<boolean>
}

export type StartOptions = {
  /** Unix ms, in place of the real one. */
  readonly clock?: () => number
  /**
   * For a start while another process has the database: this one opens its doors beside it, lets requests wait there, reports so by
   * this call, and goes on when the other process has ended.
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
  const { upstreams, dataFolder } = config
  refuseUnknownVariables(
    variables,
    upstreams.map(({ keyVariable }) => keyVariable),
  )
  const readKeys = () => readUpstreamKeys(variables, environment, upstreams)
  const upstreamKeys = readKeys()
  const kinds: UpstreamKinds = new Map([
    ['vendor', 'vendor'],
    ...upstreams.map(({ name, kind }) => [name, kind] as const),
  ])
  const reloadable = createReloadableCatalog(() => loadCatalog(config.modelsFile, kinds))
  const databaseUrl = readDatabaseUrl(environment)
  const openLog = createLog({ level: config.settings.log_level, pretty: isatty(1) })
  const { log } = openLog
  const notices = holdNotices(log)
  const place = { dataFolder, databaseUrl, directUrl: readDirectUrl(environment), log }
  const { store, waitingDoors } =
    reportWaiting === undefined
      ? { store: await openStore(place), waitingDoors: null }
      : await takeOver({
          config,
          openStore: patience => openStore({ ...place, ...patience }),
          reportWaiting,
        })
  try {
    const secrets = loadSecrets(environment, dataFolder, randomBytes)
    return await assemble({
      config,
      secrets,
      upstreamKeys,
      readKeys,
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
  /** Throws an Error that names the setting at fault. */
  readonly readKeys: () => UpstreamKeys
  readonly reloadable: ReloadableCatalog
  readonly clock: () => number
  readonly wallClock: () => number
  readonly store: Store
  readonly waitingDoors: WaitingDoors | null
  readonly openLog: OpenLog
  readonly notices: HeldNotices
}): Promise<RunningServer> {
  const { config, secrets, upstreamKeys, readKeys, reloadable, clock, wallClock, store } = parts
  const { waitingDoors, openLog, notices } = parts
  const { log } = openLog
  const { catalog } = reloadable
  const { settings, dataFolder, modelsFile } = config
  const metrics = createMetrics()
  metrics.watchLog(openLog.droppedLines)
  warnOfRetirement(catalog, clock(), notices)

  const ledger = await startLedger({ store, clock, wallClock, metrics, log, notices })
  const { limits, writer } = ledger
  const directory = await createDirectory({
    store,
    clock,
    randomBytes,
    newId: randomUUID,
    resolveModel: name => resolveModelName(catalog, name),
    defaultMaxParallelRequests: settings.limits.default_max_parallel_requests,
  })
  const records = createOwnerRecords({ directory, limits, clock })
  const calls = new CallsReader({ read: store.read, directory })
  const disk = await DiskWatch.start({
    readSpace: () => readDiskSpace(dataFolder),
    every,
    warnBelowBytes: settings.warn_free_mebibytes * mebibyte,
    warn: ({ freeBytes }) =>
      log.warn(
        { free_bytes: freeBytes, folder: dataFolder },
        'The disk is filling up. When it is full, no calls and no entries are taken.',
      ),
    reportRecovery: ({ freeBytes }) => log.info({ free_bytes: freeBytes }, 'The disk has room again.'),
  })
  metrics.watchDisk(disk.space)
  const digestTexts = createDigester(secrets.joinKey, readJoinRules(shippedJoinRules))
  const callRecord = startCallRecord({ store, settings, digestTexts, clock, log })
  const coverage = new CoverageReader({ read: store.read, digestTexts, clock, pause: setImmediate })
  const logbook = startLogbook({ store, dataFolder, clock, metrics, log })
  const upstreams = createUpstreams({
    config,
    secrets,
    upstreamKeys,
    resolve: resolveHost,
    observeUpstream: metrics.observeUpstream,
    clock,
    reports: createUpstreamReports({
      log,
      count: metrics.countTry,
      monotonicMs: () => performance.now(),
    }),
  })
  const reloadCatalog = createReload({
    reloadable,
    modelsFile,
    readKeys: () => {
      const keys = readKeys()
      return () => upstreams.useKeys(keys)
    },
    directory,
    clock,
    log,
  })
  metrics.watchKeys(() =>
    upstreams
      .describeHealth()
      .flatMap(({ upstream, keys }) =>
        keys.map(({ id, restMs }) => ({ upstream, key: id, isResting: restMs !== null })),
      ),
  )
  const mp3 = createMp3Encoder()
  const videos = await createVideos({ config, store, limits, upstream: upstreams.video, clock, metrics, log })

  const readiness = new Readiness(ledger.whyUnhealthy)
  const { isReady, isDraining, whyNot: whyNotReady } = readiness
  const doors = createDoors({
    config,
    adminKey: secrets.adminKey,
    metrics,
    log,
    logAccess: openLog.logAccess,
    clock,
    newCallId: () => Bun.randomUUIDv7(),
    isReady,
    isDraining,
    whyNotReady,
    gateway: createGatewayParts({
      clock,
      catalog,
      records,
      calls,
      coverage,
      settings,
      publicUrl: () => open.gateway?.publicUrl ?? config.doors.gateway.publicUrl,
      store,
      ledger,
      callRecord: callRecord.parts,
      upstreams,
      videos,
      encodeMp3: mp3.encode,
      readiness,
      metrics,
      log,
    }),
    logbook: logbook.entries,
    describeUpstreams: () => upstreams.describeHealth().map(writeHealth),
    recorder: logbook.recorder,
    admin: {
      directory,
      records,
      catalog: { catalog, reloadCatalog },
      calls,
      audit: store.read,
      logs: logbook.reading,
      coverage,
      clock,
    },
  })
  const open = waitingDoors === null ? listen(config, doors) : waitingDoors.open(doors)
  const ownMetrics = config.metrics === null ? null : serveMetrics(config.metrics, metrics, readiness)
  // A key and a token are shown once, so the demo team is made only where both are of use.
  const isForTrying = config.vendor === null && open.gateway !== undefined && open.logbook !== undefined
  const demo = isForTrying ? await createDemoTeam(directory) : null
  readiness.enter('serving')

  const stop = async ({ isAnnounced = false } = {}): Promise<boolean> => {
    readiness.enter('draining')
    if (isAnnounced) await setTimeout(settings.drain_announce_seconds * 1000)
    const left = await drain(
      {
        doors: Object.values(open),
        countCalls: () => limits.totals().slots - ledger.countHopeless(),
        countStreams: () => writer.countStreams(),
        wait: setTimeout,
      },
      settings.drain_seconds * 1000,
    )
    if (left > 0)
      log.warn({ requests: left }, 'The time to drain was up: requests that still ran were cut off.')
    await videos.watch.stop()
    disk.stop()
    await callRecord.stop()
    const isWritten = await ledger.stop()
    readiness.enter('stopped')
    logbook.stop()
    mp3.close()
    await upstreams.stop()
    // The address of the metrics comes before the database: a successor that takes the database over listens there next.
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
  const announcement = describeStart({ urls, config, secrets, demo, now: new Date().toISOString() })
  return { ...urls, log, announcement, releaseNotices: notices.release, reload, stop }
}

const mebibyte = 1024 * 1024
