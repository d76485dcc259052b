// Opens the rooms of the server in order. They close in the opposite order.
import { join } from 'node:path'
import { openPages } from '@fairgate/console/open-pages.ts'
import { openAdmin } from './admin/open-admin.ts'
import { resolveModelName } from './catalog/find-name-here.ts'
import { readSources } from './catalog/read-sources.ts'
import type { Variables } from './config/read-config.ts'
import { openFiles } from './files/open-files.ts'
import { openGateway } from './gateway/open-gateway.ts'
import { openTraces } from './gateway/traces/open-traces.ts'
import { createPages } from './http/pages/serve-pages.ts'
import { openInsight } from './insight/open-insight.ts'
import { openLive } from './insight/open-live.ts'
import { openJudging } from './judging/open-judging.ts'
import { openResults } from './judging/results/open-results.ts'
import { openLedger } from './limits/open-ledger.ts'
import { openLogbook } from './logbook/open-logbook.ts'
import { openWebhooks } from './operate/notices/open-webhooks.ts'
import { openReadiness } from './operate/readiness/open-readiness.ts'
import { openDiskWatch } from './operate/readiness/watch-disk.ts'
import { openDoors } from './process/open-doors.ts'
import { openEntrance } from './process/open-entrance.ts'
import { openWorld } from './process/open-world.ts'
import type { RunningServer, StartOptions } from './process/running-server.ts'
import { openRecords } from './record/open-records.ts'
import { greetOperator } from './start/greet-operator.ts'
import { SubmissionService } from './submissions/submission-service.ts'
import { openTeamPage } from './team-page/open-team-page.ts'
import { openUpstreams } from './upstream/open-upstreams.ts'
import { openVideos } from './videos/open-videos.ts'
import { openWall } from './wall/open-wall.ts'
import { Stops } from './world/stops.ts'

/** Throws an Error that names the setting, file or port at fault. */
export async function startServer(variables: Variables, options: StartOptions = {}): Promise<RunningServer> {
  const stops = new Stops()
  try {
    return await openRooms(variables, options, stops)
  } catch (error) {
    // The reason why it could not start matters, even if more fails afterwards.
    await stops.stop().catch(() => undefined)
    throw error
  }
}

async function openRooms(variables: Variables, options: StartOptions, stops: Stops): Promise<RunningServer> {
  const membership = options.membership ?? null
  const sources = readSources(variables)
  const { catalog, hash: catalogHash } = sources.reloadable
  const { world, place } = await openWorld(sources, options, stops)
  const { config, metrics, log, notices } = world
  const entrance = openEntrance(world, place, membership?.scrape ?? null)
  const { addresses, makeDoor } = entrance

  // Callers, their spend, and the records.
  const ledger = await openLedger(world, {
    catalogHash,
    resolveModel: name => resolveModelName(catalog, name),
  })
  const { directory, limits, writer, whyUnhealthy } = ledger
  const records = openRecords(world, directory)
  const judging = openJudging(world, directory, records)
  const logbook = openLogbook(world, directory, makeDoor)

  // Upstreams for calls.
  const traces = await openTraces(world, catalog)
  const sandboxUrl = membership?.sandboxUrl ?? null
  const { upstreams, reloadCatalog } = await openUpstreams(
    world,
    sources,
    directory,
    sandboxUrl,
    traces?.countAttempts(fetch) ?? fetch,
  )
  const videos = await openVideos(world, ledger, upstreams.video)
  const { submitted, ...stored } = openFiles(world, directory, upstreams)
  const submissions = new SubmissionService({ ...world, ...world.store, directory, files: submitted })

  // Notifications for organisers, and the health of the server.
  const disk = await openDiskWatch(world)
  const ledgerState = () => ({ reason: whyUnhealthy(), unwritten: writer.countUnwritten() })
  const insight = openInsight(world, { directory, limits, records, upstreams, disk, ledger: ledgerState })
  const webhooks = openWebhooks(world, insight.attention, directory)
  const fitness = openReadiness(world, {
    ...ledger,
    ...entrance,
    sources,
    upstreams,
    countUnreadableWebhooks: () => webhooks.countUnreadable(),
  })
  const readReadiness = () => fitness.board.read()
  const live = openLive(world, { directory, limits, catalog, records, judging, insight, readReadiness })

  // Pages for the browser.
  const pages = createPages({
    open: () => openPages(join(config.dataFolder, 'pages')),
    reportFailure: error => log.error({ err: error }, 'The console pages could not be built.'),
  })
  const wall = openWall(world, directory, live)
  const { recorders } = logbook
  const { reports } = insight.spend
  const teamPage = openTeamPage(world, {
    ...ledger,
    ...records,
    catalog,
    live,
    reports,
    recorders,
    addresses,
    submissions,
    judging,
  })

  // The doors. Requests arrive as soon as they are open.
  const results = openResults(judging.results, () => directory.event().timeZone)
  const shared = { ...entrance, ...records, ledger, catalog, upstreams, pages, wall, submissions, results }
  const { teamWatch } = insight
  const gateway = openGateway(world, { ...shared, ...stored, traces, videos, recorders, teamPage, teamWatch })
  const admin = openAdmin(world, {
    ...shared,
    ...logbook,
    ...insight,
    ...live,
    judging,
    reloadCatalog,
    fitness,
    webhooks,
  })
  await directory.catchUp()
  const doors = openDoors(world, {
    entrance,
    doors: { gateway, logbook: logbook.door, admin: admin.door },
    countCalls: () => limits.totals().slots - ledger.countHopeless(),
    countStreams: () => writer.countStreams(),
    endFollowing: stops.drain,
  })
  const announcement = await greetOperator(world, {
    membership,
    directory,
    access: admin.access,
    teamSignIns: teamPage.signIns,
    doors,
  })
  entrance.readiness.serve(whyUnhealthy)

  return {
    ...doors.urls,
    ports: doors.ports,
    longestStopMs: doors.longestStopMs,
    log,
    announcement,
    releaseNotices: notices.release,
    readFigures: metrics.read,
    preparePages: pages.prepare,
    reload: () => {
      reloadCatalog({}, 'SIGHUP').catch(error =>
        log.error({ err: error }, 'The catalog could not be reloaded. The current one stays active.'),
      )
    },
    stop: async (how = 'at once') => {
      await doors.drain(how)
      return await stops.stop()
    },
  }
}
