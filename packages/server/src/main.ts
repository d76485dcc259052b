// The composition root: reads what the start is told, opens its place, builds every part once, opens the doors, and takes them down again.

import { createDesks } from './admin/create-desks.ts'
import { warnOfRetirement } from './catalog/create-reload.ts'
import { resolveModelName } from './catalog/find-name-here.ts'
import { openCatalogFile } from './catalog/own-catalog-file.ts'
import { shippedModels } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import { eventLimitsAt } from './directory/event/event-limits-at.ts'
import { createGatewayParts } from './gateway/create-gateway-parts.ts'
import { createLog, type OpenLog } from './http/log.ts'
import { answerMetrics, createMetrics } from './http/metrics.ts'
import { createProcessFigures } from './http/process-figures.ts'
import { startLive } from './insight/start-live.ts'
import { startRecentFigures } from './insight/start-recent-figures.ts'
import { createOwnerRecords } from './limits/owner-records.ts'
import { createMp3Encoder } from './media/mp3-encoder.ts'
import { agreeOnSecrets } from './process/agree-on-secrets.ts'
import { createDescriptorWatch } from './process/create-descriptor-watch.ts'
import { DoorAddresses } from './process/door-addresses.ts'
import { KeptStreams } from './process/drain.ts'
import { findListeningSockets } from './process/listening-sockets.ts'
import { Readiness } from './process/readiness.ts'
import { createDoors } from './start/create-doors.ts'
import { createReadinessBoard } from './start/create-readiness-board.ts'
import { greetOperator, readsLog } from './start/greet-operator.ts'
import { openDoors } from './start/open-doors.ts'
import { openPlace, type Place } from './start/open-place.ts'
import { readSources, type Sources } from './start/read-sources.ts'
import type { Membership, RunningServer, StartOptions, Variables } from './start/running-server.ts'
import { startAttention } from './start/start-attention.ts'
import { startDirectory } from './start/start-directory.ts'
import { startPages } from './start/start-pages.ts'
import { startRecord } from './start/start-record.ts'
import { startUpstreams } from './start/start-upstreams.ts'
import { startWatches } from './start/start-watches.ts'
import { createStop } from './start/stop-server.ts'
import { writeHealth } from './upstream/create-upstreams.ts'
import { createVideos } from './videos/create-videos.ts'
import { type HeldNotices, holdNotices } from './world/hold-notices.ts'
import { createServerTime, type ServerTime } from './world/server-time.ts'

/** Throws an Error that names the setting, file or port at fault. */
export async function startServer(variables: Variables, options: StartOptions = {}): Promise<RunningServer> {
  const time = createServerTime(options.clock)
  const sources = readSources(variables)
  const membership = options.membership ?? null
  const { log_level: level } = sources.config.settings
  const openLog = createLog({ level, pretty: readsLog(membership) })
  const notices = holdNotices(openLog.log)
  const place = await openPlace(sources, options, openLog.log)
  const { store, waitingDoors } = place
  try {
    const secrets = sources.loadSecrets()
    await agreeOnSecrets({ write: store.write, secrets, clock: time.wallClock, notices })
    return await assemble({ sources, secrets, time, place, membership, reports: { openLog, notices } })
  } catch (error) {
    notices.release()
    await waitingDoors?.close()
    await store.close()
    throw error
  }
}

async function assemble(start: {
  readonly sources: Sources
  readonly secrets: Secrets
  readonly time: ServerTime
  readonly place: Place
  readonly membership: Membership | null
  readonly reports: { readonly openLog: OpenLog; readonly notices: HeldNotices }
}): Promise<RunningServer> {
  const { sources, secrets, time, place, membership } = start
  const { openLog, notices } = start.reports
  const { config, reloadable } = sources
  const { settings, dataFolder } = config
  const { catalog } = reloadable
  const { clock, stopwatch } = time
  const { store } = place
  const { read, write } = store
  const { log } = openLog
  const system = createProcessFigures()
  const metrics = createMetrics(system)
  metrics.watchLog(openLog.droppedLines)
  const descriptors = createDescriptorWatch({ system, log })
  metrics.watchHolding(descriptors.isHolding)
  warnOfRetirement(catalog, clock(), notices)

  // Who may call, and what they have spent.
  const { ledger, directory, catalogs, whyUnhealthy, awaitHealth } = await startDirectory({
    ...place,
    ...time,
    catalogHash: reloadable.hash,
    resolveModel: name => resolveModelName(catalog, name),
    defaultMaxParallelRequests: settings.limits.default_max_parallel_requests,
    metrics,
    log,
    notices,
  })
  const { limits } = ledger
  const records = createOwnerRecords({
    directory,
    limits,
    clock,
    eventLimits: () => eventLimitsAt(directory.event(), clock()),
  })
  const watches = await startWatches({ config, directory, limits, clock, metrics, log })

  // What stays on record: calls, charges, entries, and how they belong together.
  const recordParts = { config, secrets, store, directory, limits, time, metrics, log }
  const { calls, callRecord, spend, coverage, logbook } = startRecord(recordParts)

  // Where calls go.
  const upstreamParts = { sources, secrets, membership, directory, time, metrics, log }
  const { upstreams, reloadCatalog } = await startUpstreams(upstreamParts)
  const recent = startRecentFigures({ read, directory, coverage, clock, stopwatch, log })
  const watching = startAttention({
    directory,
    recent,
    limits,
    store,
    joinKey: secrets.joinKey,
    settings,
    upstreams,
    disk: watches.disk,
    ledger: () => ({ reason: whyUnhealthy(), unwritten: ledger.writer.countUnwritten() }),
    wrongTotals: spend.countWrongTotals,
    clock,
    log,
  })
  const mp3 = createMp3Encoder()
  const videos = await createVideos({
    config,
    secrets,
    store,
    videoWrites: ledger.videoWrites,
    limits,
    upstream: upstreams.video,
    clock,
    metrics,
    log,
  })

  // What organisers and teams work with.
  const addresses = new DoorAddresses(config.doors)
  const desks = createDesks({ config, secrets, store, directory, ledger, addresses, clock })
  const fitness = createReadinessBoard({
    sources,
    secrets,
    place,
    catalogs,
    upstreams,
    addresses,
    directory,
    readDescriptors: descriptors.read,
    countUnreadableWebhooks: () => watching.webhooks.countUnreadable(),
    time,
  })
  const { attention, webhooks } = watching
  const live = startLive({
    read,
    directory,
    limits,
    catalog,
    attention,
    coverage,
    recent,
    readReadiness: () => fitness.board.read(),
    clock,
    stopwatch,
    log,
  })
  const {
    teamPage,
    wall,
    pages,
    close: closePages,
  } = startPages({
    dataFolder,
    store,
    directory,
    live,
    own: {
      ...{ catalog, limits, records, calls, coverage, reports: spend.parts.reports },
      listRecorders: logbook.reading.recorders.list,
    },
    desks,
    addresses,
    time,
    log,
  })

  // The doors.
  const readiness = new Readiness(whyUnhealthy)
  const keptStreams = new KeptStreams(stopwatch)
  const answerScrape = () => answerMetrics(membership?.scrape ?? metrics.render)
  const doors = createDoors({
    config,
    authenticateAdmin: desks.access.authenticate,
    metrics,
    answerMetrics: answerScrape,
    keptConnections: keptStreams,
    log,
    logAccess: openLog.logAccess,
    clock,
    newCallId: () => Bun.randomUUIDv7(),
    isReady: readiness.isReady,
    isDraining: readiness.isDraining,
    whyNotReady: readiness.whyNot,
    gateway: createGatewayParts({
      clock,
      event: directory.event,
      announcements: directory.announcements,
      catalog,
      records,
      calls,
      coverage,
      settings,
      publicUrl: () => addresses.ofClients().gateway,
      store,
      ledger,
      corrections: desks.corrections,
      uncharged: { findRatio: directory.findHoldRatio, follow: directory.followUncharged },
      isLedgerHealthy: () => whyUnhealthy() === null,
      awaitLedgerHealth: awaitHealth,
      callRecord: {
        ...callRecord.parts,
        recordUncharged: watches.countRefusals(callRecord.parts.recordUncharged),
      },
      upstreams,
      videos,
      encodeMp3: mp3.encode,
      readiness,
      metrics,
      log,
    }),
    logbook: { ...logbook.entries, notices: { announcements: directory.announcements, clock } },
    describeHealth: () => ({
      upstreams: upstreams.describeHealth().map(writeHealth),
      ...(catalogs === null ? {} : { differing_catalogs: catalogs.differing() }),
    }),
    recorder: logbook.recorder,
    teamPage,
    pages,
    wall,
    join: {
      desk: desks.join,
      page: teamPage.claims,
      addresses: addresses.ofClients,
      directory,
      calls,
      read,
      listRecorders: logbook.reading.recorders.list,
      clock,
    },
    admin: {
      directory,
      records,
      attention,
      catalog: {
        catalog,
        reloadCatalog,
        file: openCatalogFile(
          config.modelsFile,
          place.sharedDatabase === null && config.modelsFile !== shippedModels,
        ),
      },
      event: { limits, read },
      corrections: desks.corrections,
      calls,
      spend: spend.parts,
      live: { ...live, limits, read, write, describeUpstreams: upstreams.describeHealth },
      audit: read,
      messages: read,
      logs: logbook.reading,
      coverage,
      claims: desks.claims,
      webhooks,
      access: desks.access,
      readiness: fitness,
      notes: desks.notes,
      walls: { desk: desks.walls, gatewayUrl: () => addresses.ofClients().gateway },
      clock,
    },
  })
  // Requests arrive as soon as the doors are open.
  await directory.catchUp()
  const opened = openDoors(config, doors, place, { answerMetrics: answerScrape, readiness })
  addresses.use(opened.open)
  descriptors.start(findListeningSockets(Object.values(opened.ports)))
  const announcement = await greetOperator({
    config,
    secrets,
    membership,
    directory,
    access: desks.access,
    teamSignIns: teamPage.signIns,
    doors: opened,
    clock,
  })
  readiness.enter('serving')

  const stopping = createStop({
    settings,
    readiness,
    keptStreams,
    open: opened.open,
    ledger,
    stopwatch,
    log,
    endPages: () => {
      descriptors.stop()
      live.close()
      recent.stop()
      closePages()
    },
    beforeLedger: [videos.watch.stop, watches.stop, callRecord.stop, spend.stop, watching.stop],
    afterLedger: [
      logbook.stop,
      mp3.close,
      upstreams.stop,
      () => catalogs?.stop(),
      directory.stop,
      // The address of the metrics comes before the database: a successor that takes the database over listens there next.
      opened.stopMetrics,
      () => store.close(),
      () => openLog.close(),
    ],
  })
  return {
    ...opened.urls,
    log,
    announcement,
    releaseNotices: notices.release,
    reload: () => {
      reloadCatalog({}, 'SIGHUP').catch(error =>
        log.error({ err: error }, 'The catalog could not be read again: the one in force stays.'),
      )
    },
    readFigures: metrics.read,
    preparePages: pages.prepare,
    ports: opened.ports,
    ...stopping,
  }
}
