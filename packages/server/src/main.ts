// The composition root: reads the configuration, builds every part once, opens the doors, and takes them down again.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { openPages } from '@fairgate/console/open-pages.ts'
import { WallDesk } from './access/wall-desk.ts'
import { CallsReader } from './calls/calls-reader.ts'
import { resolveModelName } from './catalog/find-name-here.ts'
import { loadCatalog } from './catalog/load-catalog.ts'
import { createReloadableCatalog, type ReloadableCatalog } from './catalog/reload-catalog.ts'
import { ClaimDesk } from './claims/claim-desk.ts'
import { GuessLimit } from './claims/guess-limit.ts'
import { JoinDesk } from './claims/join-desk.ts'
import type { Config } from './config/config.ts'
import { readEnvironment } from './config/environment.ts'
import { digestAdminKey } from './config/join-key.ts'
import { chooseLimitsEngine } from './config/limits-engine.ts'
import { createTrustedAddresses, type DoorName } from './config/listener-settings.ts'
import { loadSecrets, readDatabaseUrl, readDirectUrl, type Secrets } from './config/secrets.ts'
import { readUpstreamKeys, type UpstreamKeys } from './config/upstream-keys.ts'
import { CoverageReader } from './coverage/coverage-reader.ts'
import { CallCorrections } from './directory/correction-commands.ts'
import { eventLimitsAt } from './directory/event/event-limits-at.ts'
import { createDigester } from './evidence/create-digester.ts'
import { readJoinRules, shippedJoinRules } from './evidence/read-join-rules.ts'
import { createSecureCheck } from './http/client-address.ts'
import { createLog, type Log, type OpenLog } from './http/log.ts'
import type { MetricFamily } from './http/metric-series.ts'
import { answerMetrics, createMetrics } from './http/metrics.ts'
import { createOwnerRecords } from './limits/owner-records.ts'
import { readTeamBudgets } from './limits/team-budgets.ts'
import { createMp3Encoder } from './media/mp3-encoder.ts'
import { createPages } from './pages/serve-pages.ts'
import { ReadinessBoard } from './readiness/readiness-board.ts'
import { agreeOnSecrets } from './start/agree-on-secrets.ts'
import { createAccess } from './start/create-access.ts'
import { createDemoDesk } from './start/create-demo-desk.ts'
import { createDemoTeam } from './start/create-demo-team.ts'
import { createDoors } from './start/create-doors.ts'
import { createGatewayParts, resolveHost } from './start/create-gateway-parts.ts'
import { createNoteDesk } from './start/create-note-desk.ts'
import { createReadinessChecks, type ReadinessSurroundings } from './start/create-readiness-checks.ts'
import { createReload, warnOfRetirement } from './start/create-reload.ts'
import { createTeamPage } from './start/create-team-page.ts'
import { createUpstreams, writeHealth } from './start/create-upstreams.ts'
import { createVideos } from './start/create-videos.ts'
import { createWall } from './start/create-wall.ts'
import { type DoorUrls, describeStart } from './start/describe-start.ts'
import { drain, KeptStreams, letClientsMove } from './start/drain.ts'
import { type HeldNotices, holdNotices } from './start/hold-notices.ts'
import { listen } from './start/listen.ts'
import { makeFirstLinks } from './start/make-first-links.ts'
import { openStore } from './start/open-store.ts'
import { Readiness } from './start/readiness.ts'
import { createUpstreamReports } from './start/report-upstream-tries.ts'
import { listKinds, listSecretFiles, readWholeConfig } from './start/run-doctor.ts'
import { serveMetrics } from './start/serve-metrics.ts'
import { startAttention } from './start/start-attention.ts'
import { startCallRecord } from './start/start-call-record.ts'
import { startDirectory } from './start/start-directory.ts'
import { startLive } from './start/start-live.ts'
import { startLogbook } from './start/start-logbook.ts'
import { startSpend } from './start/start-spend.ts'
import { createSteadyClock } from './start/steady-clock.ts'
import { closingMs, takeOver, type WaitingDoors } from './start/take-over.ts'
import { every, waitUntil } from './start/timers.ts'
import { priceTrials } from './start/try-upstream-keys.ts'
import { DiskWatch, readDiskSpace } from './start/watch-disk.ts'
import { TeamWatch } from './start/watch-teams.ts'
import { ServerChoice } from './store/postgres/choose-server.ts'
import { readDatabaseAddress } from './store/postgres/database-address.ts'
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
  /** Unix ms, in place of the real one: limits are counted in memory then. */
  readonly clock?: () => number
  /**
   * For a start beside the process that is to be replaced, at its addresses. Where that one has the database for itself, this one lets
   * requests wait, reports so by this call, and goes on when the other has ended. Where they share it, both serve.
   */
  readonly reportWaiting?: () => void
  readonly membership?: Membership
}

/** Throws an Error that names the setting, file or port at fault. */
export async function startServer(
  variables: Variables,
  { clock: ownClock, reportWaiting, membership }: StartOptions = {},
): Promise<RunningServer> {
  const wallClock = ownClock ?? Date.now
  const clock = ownClock ?? createSteadyClock(wallClock, () => performance.now())
  const environment = readEnvironment(variables)
  const readConfig = () => readWholeConfig(variables, environment)
  const config = readConfig()
  const { upstreams, dataFolder } = config
  const readKeys = () => readUpstreamKeys(variables, environment, upstreams)
  const upstreamKeys = readKeys()
  const loadModels = () => loadCatalog(config.modelsFile, listKinds(config))
  const reloadable = createReloadableCatalog(loadModels, () => readFileSync(config.modelsFile))
  const databaseUrl = readDatabaseUrl(environment)
  const openLog = createLog({ level: config.settings.log_level, pretty: membership?.isTerminal ?? isatty(1) })
  const { log } = openLog
  const notices = holdNotices(log)
  // A database tells no time but its own.
  const engine =
    ownClock === undefined ? chooseLimitsEngine(config.settings.limits.engine, databaseUrl) : 'memory'
  const directUrl = readDirectUrl(environment)
  const lock = engine === 'shared' ? 'shared' : 'exclusive'
  // A process that shares the database has others at its addresses sooner or later: its successor, if no others.
  const isBesideOthers = membership?.isBesideOthers ?? reportWaiting !== undefined
  const sharing = engine === 'shared' || membership !== undefined ? { isBesideOthers } : null
  const place = { dataFolder, databaseUrl, directUrl, lock, log } as const
  // Statements that are prepared, and notices, need a connection to the server itself.
  const sharedDatabase =
    engine === 'shared' && directUrl !== null ? new ServerChoice(readDatabaseAddress(directUrl)) : null
  await sharedDatabase?.settle()
  const { store, waitingDoors } =
    reportWaiting === undefined
      ? { store: await openStore(place), waitingDoors: null }
      : await takeOver({
          config,
          openStore: patience => openStore({ ...place, ...patience }),
          reportWaiting,
        })
  try {
    const secrets = loadSecrets(environment, config, randomBytes)
    await agreeOnSecrets({ write: store.write, secrets, clock: wallClock, notices })
    return await assemble({
      config,
      secrets,
      upstreamKeys,
      readKeys,
      reloadable,
      readiness: {
        readConfig,
        loadCatalog: loadModels,
        databaseUrl,
        directUrl: readDatabaseUrl(environment, 'DATABASE_DIRECT_URL'),
        secretFiles: listSecretFiles(environment),
      },
      clock,
      wallClock,
      store,
      sharedDatabase,
      waitingDoors,
      membership: membership ?? null,
      sharing,
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
  /** What the checks of readiness read again. */
  readonly readiness: Pick<
    ReadinessSurroundings,
    'readConfig' | 'loadCatalog' | 'databaseUrl' | 'directUrl' | 'secretFiles'
  >
  readonly clock: () => number
  readonly wallClock: () => number
  readonly store: Store
  /** Null: the limits are in the memory of this process. */
  readonly sharedDatabase: ServerChoice | null
  readonly waitingDoors: WaitingDoors | null
  readonly membership: Membership | null
  /** How processes share the addresses; null where this one has them to itself. */
  readonly sharing: { readonly isBesideOthers: boolean } | null
  readonly openLog: OpenLog
  readonly notices: HeldNotices
}): Promise<RunningServer> {
  const { config, secrets, upstreamKeys, readKeys, reloadable, clock, wallClock, store } = parts
  const { sharedDatabase, waitingDoors, membership, sharing, openLog, notices } = parts
  const { log } = openLog
  const { catalog } = reloadable
  const { settings, dataFolder, modelsFile } = config
  const metrics = createMetrics()
  metrics.watchLog(openLog.droppedLines)
  warnOfRetirement(catalog, clock(), notices)

  const { ledger, directory, catalogs, whyUnhealthy, awaitHealth } = await startDirectory({
    store,
    sharedDatabase,
    catalogHash: reloadable.hash,
    resolveModel: name => resolveModelName(catalog, name),
    defaultMaxParallelRequests: settings.limits.default_max_parallel_requests,
    clock,
    wallClock,
    metrics,
    log,
    notices,
  })
  const { limits, writer } = ledger
  const records = createOwnerRecords({
    directory,
    limits,
    clock,
    eventLimits: () => eventLimitsAt(directory.event(), clock()),
  })
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
  const teamWatch = settings.metrics_by_team
    ? new TeamWatch({
        readBudgets: () => readTeamBudgets(directory, limits, clock()),
        every,
        showTeams: metrics.showTeams,
      })
    : null
  const spend = startSpend({
    store,
    directory,
    limits,
    clock,
    stopwatch: () => performance.now(),
    wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
    random: Math.random,
    metrics,
    log,
  })
  const coverage = new CoverageReader({ read: store.read, digestTexts, clock, pause: setImmediate })
  const logbook = startLogbook({ store, dataFolder, clock, metrics, log })
  const monotonicMs = () => performance.now()
  const upstreams = await createUpstreams({
    config,
    sandboxUrl: membership?.sandboxUrl ?? null,
    secrets,
    upstreamKeys,
    resolve: resolveHost,
    observeUpstream: metrics.observeUpstream,
    clock,
    reports: createUpstreamReports({ log, count: metrics.countTry, monotonicMs }),
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
  const watching = startAttention({
    directory,
    limits,
    store,
    settings,
    upstreams,
    disk,
    ledger: () => ({ reason: whyUnhealthy(), unwritten: writer.countUnwritten() }),
    wrongTotals: spend.countWrongTotals,
    clock,
    log,
  })
  const { attention, webhooks } = watching
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

  const addresses = () => ({
    gateway: open.gateway?.publicUrl ?? config.doors.gateway.publicUrl,
    logbook: open.logbook?.publicUrl ?? config.doors.logbook.publicUrl,
  })
  const claimParts = { directory, read: store.read, write: store.write, clock, randomBytes, addresses }
  const claimDesk = new ClaimDesk({ ...claimParts, newId: () => Bun.randomUUIDv7() })
  const accessParts = {
    clock,
    randomBytes,
    isSecure: createSecureCheck(createTrustedAddresses(config.trustedProxies)),
  }
  const access = createAccess({
    ...accessParts,
    guesses: new GuessLimit(clock, 'keys'),
    every,
    store,
    adminKey: secrets.adminKey,
    adminKeyDigest: digestAdminKey(secrets.joinKey, secrets.adminKey),
    newId: () => Bun.randomUUIDv7(),
    publicUrl: () => open.admin?.publicUrl ?? config.doors.admin.publicUrl,
  })
  const joinDesk = new JoinDesk({ ...claimParts, guesses: new GuessLimit(clock) })

  const board = new ReadinessBoard({
    checks: createReadinessChecks({
      ...parts.readiness,
      config,
      readKeys,
      secrets,
      clock: wallClock,
      stopwatch: monotonicMs,
      fetch,
      serving: {
        catalogHash: reloadable.hash,
        countDiffering: () => catalogs?.differing().length ?? 0,
        describeHealth: upstreams.describeHealth,
        readAgreed: async () => {
          const facts = await store.read.readFacts({ prefix: '', since: 0 })
          return new Map(facts.map(({ name, value }) => [name, value]))
        },
        countProcesses: async () =>
          sharedDatabase === null ? 1 : (await store.read.readCatalogHashes(null)).length,
        ports: () =>
          Object.entries(open).map(([name, { port }]) => ({
            name,
            host: config.doors[name as DoorName].host,
            port,
          })),
        publicUrls: addresses,
      },
      backups: null,
    }),
    clock: wallClock,
    wait: waitUntil,
  })
  const live = startLive({
    read: store.read,
    directory,
    limits,
    catalog,
    attention,
    coverage,
    readReadiness: () => board.read(),
    clock,
    stopwatch: () => performance.now(),
    log,
  })
  const teamPage = createTeamPage({
    ...accessParts,
    guesses: new GuessLimit(clock, 'keys'),
    directory,
    read: store.read,
    write: store.write,
    event: directory.event,
    announcements: directory.announcements,
    catalog,
    records,
    limits,
    calls,
    coverage,
    readFigures: live.readFigures,
    peaks: live.peaks,
    every,
    stopwatch: monotonicMs,
    log,
    readSeries: query => spend.parts.reports.series(query),
    addresses,
  })
  const pages = createPages({
    open: () => openPages(join(dataFolder, 'pages')),
    reportFailure: error => log.error({ err: error }, 'The pages of the console could not be built.'),
  })
  const wallDesk = new WallDesk({
    read: store.read,
    write: store.write,
    clock,
    randomBytes,
    newId: () => Bun.randomUUIDv7(),
    timeZone: () => directory.event().timeZone,
  })
  const wall = createWall({
    desk: wallDesk,
    directory,
    readFigures: live.readFigures,
    read: store.read,
    guesses: new GuessLimit(clock, 'links of walls'),
    every,
    clock,
    stopwatch: monotonicMs,
    log,
  })
  const corrections = new CallCorrections({
    read: store.read,
    write: store.write,
    limits,
    directory,
    slot: () => ledger.lease.process().slot,
    clock,
    newId: () => Bun.randomUUIDv7(),
  })
  const noteDesk = createNoteDesk({ store, directory, clock })
  const demoDesk = createDemoDesk({
    write: store.write,
    process: ledger.lease.process,
    adjust: limits.adjust,
    digestTexts,
    directory,
    corrections,
    writeNote: (teamId, text, actor) =>
      noteDesk.create({ subject: 'team', team_id: teamId, text }, { actor, role: 'organiser' }),
    models: () => catalog.models,
    recorderVersion: logbook.reading.recorders.version,
    isSandbox: config.vendor === null,
    findUpstreamKey: name =>
      upstreams.describeHealth().find(({ upstream }) => upstream === name)?.keys[0]?.id ?? null,
    teamPage: { url: () => open.gateway?.publicUrl ?? null, signIns: teamPage.signIns },
    clock,
  })
  const readiness = new Readiness(whyUnhealthy)
  const { isReady, isDraining, whyNot: whyNotReady } = readiness
  const keptStreams = new KeptStreams(monotonicMs)
  const answerScrape = () => answerMetrics(membership?.scrape ?? metrics.render)
  const doors = createDoors({
    config,
    authenticateAdmin: access.authenticate,
    metrics,
    answerMetrics: answerScrape,
    keptConnections: keptStreams,
    log,
    logAccess: openLog.logAccess,
    clock,
    newCallId: () => Bun.randomUUIDv7(),
    isReady,
    isDraining,
    whyNotReady,
    gateway: createGatewayParts({
      clock,
      event: directory.event,
      announcements: directory.announcements,
      catalog,
      records,
      calls,
      coverage,
      settings,
      publicUrl: () => addresses().gateway,
      store,
      ledger,
      isLedgerHealthy: () => whyUnhealthy() === null,
      awaitLedgerHealth: awaitHealth,
      callRecord: {
        ...callRecord.parts,
        recordUncharged: call => {
          teamWatch?.noteUncharged(call)
          callRecord.parts.recordUncharged(call)
        },
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
    join: { desk: joinDesk, page: teamPage.claims, addresses },
    admin: {
      directory,
      records,
      attention,
      catalog: { catalog, reloadCatalog },
      event: { limits, read: store.read },
      corrections,
      calls,
      spend: spend.parts,
      live: {
        ...live,
        limits,
        read: store.read,
        write: store.write,
        describeUpstreams: upstreams.describeHealth,
      },
      audit: store.read,
      messages: store.read,
      logs: logbook.reading,
      coverage,
      claims: claimDesk,
      webhooks,
      access,
      readiness: {
        board,
        isSandbox: config.vendor === null,
        priceCalls: () => priceTrials({ keys: readKeys, models: () => catalog.models }),
      },
      notes: noteDesk,
      walls: { desk: wallDesk, gatewayUrl: () => addresses().gateway },
      demo: demoDesk,
      clock,
    },
  })
  // Requests arrive as soon as the doors are open.
  await directory.catchUp()
  const open = waitingDoors === null ? listen(config, doors, sharing ?? {}) : waitingDoors.open(doors)
  const ownMetrics =
    config.metrics === null
      ? null
      : serveMetrics(config.metrics, { answerMetrics: answerScrape, readiness, sharing })
  // A key and a token are shown once, so the demo team is made only where both are of use.
  const isForTrying = config.vendor === null && open.gateway !== undefined && open.logbook !== undefined
  const demo = isForTrying ? await createDemoTeam(directory) : null
  // The log of a service is read by many: links stand where a person looks, or where there is nothing but play money.
  const isForPerson = config.vendor === null || (membership?.isTerminal ?? isatty(1))
  const links =
    isForPerson && membership?.isBesideOthers !== true
      ? await makeFirstLinks({
          directory,
          adminCredential: async () =>
            (await access.sessions.holders.find(secrets.adminKey))?.credential ?? null,
          admin: open.admin === undefined ? null : { url: open.admin.publicUrl, signIns: access.signIns },
          gateway:
            open.gateway === undefined || config.vendor !== null
              ? null
              : { url: open.gateway.publicUrl, signIns: teamPage.signIns },
          clock,
        })
      : null
  readiness.enter('serving')

  const announceMs = settings.drain_announce_seconds * 1000
  const drainMs = settings.drain_seconds * 1000
  const movingMs = Math.max(announceMs, leastMoveMs)
  const stop = async (how: StopManner = 'at once'): Promise<boolean> => {
    readiness.enter(how === 'replaced' ? 'replaced' : 'draining')
    live.close()
    teamPage.close()
    wall.close()
    if (how === 'announced') await setTimeout(announceMs)
    if (how === 'replaced')
      await letClientsMove(
        { streams: keptStreams, now: monotonicMs, wait: setTimeout },
        { announceMs: movingMs, mostMs: drainMs },
      )
    const left = await drain(
      {
        doors: Object.values(open),
        countCalls: () => limits.totals().slots - ledger.countHopeless(),
        countStreams: () => writer.countStreams(),
        wait: setTimeout,
      },
      drainMs,
    )
    if (left > 0)
      log.warn({ requests: left }, 'The time to drain was up: requests that still ran were cut off.')
    await videos.watch.stop()
    disk.stop()
    teamWatch?.stop()
    await callRecord.stop()
    await spend.stop()
    await watching.stop()
    const isWritten = await ledger.stop()
    readiness.enter('stopped')
    await logbook.stop()
    mp3.close()
    await upstreams.stop()
    catalogs?.stop()
    await directory.stop()
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
  const announcement = describeStart({ urls, config, secrets, demo, links, now: new Date().toISOString() })
  const listeners = { ...open, ...(ownMetrics === null ? {} : { metrics: ownMetrics }) }
  const ports = Object.fromEntries(Object.entries(listeners).map(([name, { port }]) => [name, port]))
  return {
    ...urls,
    log,
    announcement,
    releaseNotices: notices.release,
    reload,
    readFigures: metrics.read,
    preparePages: pages.prepare,
    ports,
    longestStopMs: Math.max(movingMs, drainMs) + drainMs + closingMs,
    stop,
  }
}

/** What clients that keep their connections get to find another process. */
const leastMoveMs = 1000

const mebibyte = 1024 * 1024
