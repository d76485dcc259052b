// The admin door in-process on a real database, with requests that many tests make.
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { CallCorrections } from '../../directory/call-corrections.ts'
import { openTestDirectory } from '../../directory/testing/open-test-directory.ts'
import type { DoorServer } from '../../http/call.ts'
import { createDoor } from '../../http/create-door.ts'
import { createLog } from '../../http/log.ts'
import { openTestBodies, plainDoor } from '../../http/testing/open-test-door.ts'
import { createStreamTimers } from '../../http/testing/stream-timers.ts'
import { Attention } from '../../insight/attention/attention.ts'
import { listConditions } from '../../insight/attention/list-conditions.ts'
import { LiveFeed } from '../../insight/live-feed.ts'
import { readLiveFigures } from '../../insight/live-figures.ts'
import { createLiveSources } from '../../insight/live-sources.ts'
import { createPanelSources, nameEvent } from '../../insight/panel-sources.ts'
import { SpendReports } from '../../insight/spend-reports.ts'
import { createJudging } from '../../judging/open-judging.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { createMemoryLimits } from '../../limits/memory/create-memory-limits.ts'
import { createOwnerRecords } from '../../limits/owner-records.ts'
import { buildModel } from '../../limits/testing/build-parties.ts'
import { WindowPeaks } from '../../limits/windows/window-peaks.ts'
import type { ChainReport } from '../../logbook/verify-chain/verify-team-chain.ts'
import { createSecretSeal } from '../../operate/notices/secret-seal.ts'
import { WebhookService } from '../../operate/notices/webhook-service.ts'
import {
  type Check,
  type Checks,
  type Finding,
  ok,
  type ReadinessPart,
} from '../../operate/readiness/finding.ts'
import { ReadinessBoard } from '../../operate/readiness/readiness-board.ts'
import { ClaimService } from '../../people/claim-service.ts'
import { WallService } from '../../people/wall-service.ts'
import { createCallsReader } from '../../record/calls-reader.ts'
import { CoverageReader } from '../../record/coverage-reader.ts'
import { KeptCoverage } from '../../record/kept-coverage.ts'
import { proveTotals } from '../../store/prove-totals.ts'
import { openProvenPoints } from '../../store/proven-points.ts'
import { SubmissionService } from '../../submissions/submission-service.ts'
import { createAdminRoutes } from '../app.ts'
import { createAccess } from '../create-access.ts'
import { createStamps } from '../management-route.ts'
import { NoteService } from '../note-service.ts'
import { judgeSignInRoute, signInRoute } from '../session-routes.ts'

/** This door has no folder for files. */
const refuseFile = () => {
  throw new Error('This door has no files.')
}
const withoutFiles = { maxBytes: 0, find: refuseFile, save: refuseFile, stream: refuseFile }

export const adminKey = 'admin-key-for-tests'

export type Reply = { readonly status: number; readonly body: unknown; readonly headers: Headers }

export async function openAdminDoor() {
  const opened = await openTestDirectory()
  const clock = () => opened.time.now
  const limits = createMemoryLimits({ clock })
  const peaks = new WindowPeaks()
  const verdicts = new Map<string, ChainReport>()
  const liftedTimeouts: string[] = []
  const lines: string[] = []
  const { log } = createLog({
    level: 'info',
    pretty: false,
    destination: { write: line => lines.push(line) },
  })
  const findings: Finding[] = []
  const readinessChecks: Checks = new Map<ReadinessPart, Check>([
    ['clock', async () => findings],
    ['upstreams', async ({ calls }) => [ok(calls ? 'tried' : 'not tried')]],
  ])
  const server: DoorServer = {
    timeout: (request, seconds) => {
      if (seconds === 0) liftedTimeouts.push(new URL(request.url).pathname)
    },
    requestIP: () => ({ address: '192.0.2.7' }),
  }
  const readinessBoard = new ReadinessBoard({
    checks: readinessChecks,
    clock,
    wait: () => new Promise(() => undefined),
  })
  // Its own tests read real shares; here none is known.
  const kept = { watch: () => undefined, of: () => null, whole: () => null }
  const readFigures = () =>
    readLiveFigures({ read: opened.store.read, directory: opened.directory, limits, coverage: kept, clock })
  const attention = new Attention({
    directory: opened.directory,
    limits,
    read: opened.store.read,
    write: opened.store.write,
    coverage: { of: () => null, watch: () => {} },
    upstreams: () => [],
    disk: () => null,
    ledger: () => ({ reason: null, unwritten: 0 }),
    wrongTotals: () => 0,
    clock,
  })
  const health = [
    {
      upstream: 'vendor',
      lastOutcome: 'upstream_auth',
      keys: [
        { id: 'k1', key: '1234', fault: 'refused' as const, restMs: 5000 },
        { id: 'k2', key: null, fault: null, restMs: null },
      ],
    },
  ]
  const pace = { searchMs: 0, coverageMs: 0 }
  const ticks = new Set<() => Promise<void>>()
  const coverage = new CoverageReader({
    read: opened.store.read,
    digestTexts: () => null,
    clock,
    pause: setImmediate,
  })
  const lists = new KeptCoverage({ ...opened.store, coverage, clock, stopwatch: clock })
  const judging = createJudging({
    coverage,
    numbersKey: new Uint8Array(32),
    read: opened.store.read,
    write: opened.store.write,
    directory: opened.directory,
    clock,
    randomBytes,
    newId: () => crypto.randomUUID(),
  })
  const sources = {
    readFigures,
    listConditions: () => listConditions({ attention, read: opened.store.read, clock }),
    readReadiness: () => readinessBoard.read(),
    countJudgingRecords: async () => (await judging.log.state()).head(),
    directory: opened.directory,
    coverage,
    read: opened.store.read,
    clock,
  }
  const feed = new LiveFeed({
    sources: [...createLiveSources(sources), ...createPanelSources({ ...sources, judging })],
    nameEvent,
    version: opened.directory.version,
    clock,
    stopwatch: clock,
    every: (_, run) => {
      ticks.add(run)
      return () => ticks.delete(run)
    },
    newId: () => 'process-1',
    report: error => lines.push(String(error)),
  })
  let ids = 0
  const service = new ClaimService({
    directory: opened.directory,
    read: opened.store.read,
    write: opened.store.write,
    clock,
    randomBytes,
    newId: () => {
      ids += 1
      return `claim-${ids}`
    },
    addresses: () => ({ gateway: 'https://gateway.example' }),
  })
  const sent: { readonly url: string; readonly init: BunFetchRequestInit }[] = []
  const webhookService = new WebhookService({
    resolve: async () => ['93.184.216.34'],
    fetch: async (url, init) => {
      sent.push({ url, init })
      return new Response(null, { status: 204 })
    },
    allowsPrivate: false,
    seal: createSecretSeal(Buffer.alloc(32, 1), randomBytes),
    read: opened.store.read,
    write: opened.store.write,
    clock,
    randomBytes,
    newId: () => crypto.randomUUID(),
  })
  const access = createAccess({
    judging,
    store: opened.store,
    adminKey,
    adminKeyDigest: 'digest-of-the-admin-key',
    clock,
    randomBytes,
    newId: () => crypto.randomUUID(),
    publicUrl: () => 'https://admin.example',
    every: (_, run) => {
      ticks.add(run)
      return () => ticks.delete(run)
    },
    isSecure: ({ request }) => request.headers.get('x-forwarded-proto') === 'https',
  })
  const door = createDoor({
    ...plainDoor,
    name: 'admin',
    title: 'Test door',
    description: 'A door for tests',
    publicUrl: 'https://admin.example',
    securityScheme: { type: 'http', scheme: 'bearer' },
    bodies: openTestBodies(),
    routes: createAdminRoutes({
      webhooks: webhookService,
      access,
      attention,
      recent: {
        coverage: {
          has: () => false,
          sessionsOf: teamId => lists.sessionsOf(teamId),
          want: teamIds => lists.want(teamIds),
          read: (teamId, client) => {
            opened.time.now += pace.coverageMs
            return lists.read(teamId, client)
          },
        },
      },
      directory: opened.directory,
      records: createOwnerRecords({ directory: opened.directory, limits, clock }),
      clock,
      claims: service,
      fitness: {
        board: readinessBoard,
        isSandbox: false,
        readFirstSteps: async () => ({ items: [], hasBegun: false }),
        priceCalls: () => ({ calls: 2, costNano: 1234 }),
      },
      submissions: new SubmissionService({
        ...opened.store,
        directory: opened.directory,
        clock,
        files: withoutFiles,
      }),
      judging,
      notes: new NoteService({
        read: opened.store.read,
        write: opened.store.write,
        directory: opened.directory,
        clock,
      }),
      wall: {
        service: new WallService({
          read: opened.store.read,
          write: opened.store.write,
          clock,
          randomBytes,
          newId: () => crypto.randomUUID(),
          timeZone: () => opened.directory.event().timeZone,
        }),
      },
      gatewayUrl: () => 'https://gateway.example',
      judgingUrl: () => 'https://judging.example',
      catalog: { models: [buildModel()], families: [] },
      catalogFile: { read: () => '', canWrite: () => false, write: () => undefined },
      reloadCatalog: () => Promise.reject(new Error('The test has no file of models.')),
      corrections: new CallCorrections({
        read: opened.store.read,
        write: opened.store.write,
        limits,
        directory: opened.directory,
        slot: () => 0,
        clock: () => opened.time.now,
        newId: () => crypto.randomUUID(),
      }),
      calls: createCallsReader(opened.store.read, opened.directory),
      spend: {
        reports: new SpendReports({
          read: opened.store.read,
          sumRecent: opened.store.read.sumSpend,
          directory: opened.directory,
          limits,
          clock,
        }),
        proveTotals: asked =>
          proveTotals(
            {
              read: opened.store.read,
              clock,
              stopwatch: () => performance.now(),
              points: openProvenPoints(opened.store),
              pause: () => setImmediate(),
            },
            asked,
          ),
        exportRows: opened.store.read,
      },
      ...opened.store,
      ...createStamps(opened.directory, clock),
      limits,
      readFigures,
      feed,
      peaks,
      describeUpstreams: () => health,
      coverage,
      recorders: { list: teamId => opened.store.read.listRecorders({ teamId }), version: '0.2.0' },
      listBoards: opened.store.read.listBoards,
      // Its own tests read real entries; here it has none.
      entries: {
        readPage: async () => ({ entries: [], nextBefore: null }),
        findEntry: async () => null,
        readFeed: async function* () {},
        search: ({ tool, event, ...step }) => {
          opened.time.now += pace.searchMs
          const keys = { toolKey: tool ?? null, eventKey: event ?? null }
          return opened.store.read.searchEntries({ ...step, ...keys, maxEntries: 3, maxBytes: 1_000_000 })
        },
      },
      verifyTeam: async teamId => {
        const verdict = verdicts.get(teamId)
        if (verdict === undefined) throw new Error(`No verdict for ${teamId}.`)
        return verdict
      },
    }),
    openRoutes: [signInRoute(access.sessions), judgeSignInRoute(access.sessions)],
    authenticate: access.authenticate,
    slowFailure: async () => undefined,
    log,
    newCallId: () => 'call-1',
    streamTimers: createStreamTimers().timers,
  })
  const send = async (request: Request): Promise<Reply> => {
    const response = await door.fetch(request, server)
    return { status: response.status, body: await response.json(), headers: response.headers }
  }
  const authorization = `Bearer ${adminKey}`
  return {
    /** The duration of a search step, which reads three entries, and of reading the coverage of a team. */
    pace,
    coverage,
    /** Messages sent to webhooks. */
    sent,
    ...opened,
    limits,
    service,
    verdicts,
    liftedTimeouts,
    /** The result of the clock check. */
    findings,
    lines,
    feed,
    /** Runs the timer of the live stream, if it is active. */
    tick: async () => {
      const runs = [...ticks]
      await Promise.all(runs.map(run => run()))
      return runs.length > 0
    },
    /** A reply that continues. */
    follow: async (path: string, headers: Readonly<Record<string, string>> = {}) =>
      door.fetch(
        new Request(`http://door.test${path}`, {
          headers: 'cookie' in headers ? headers : { authorization, ...headers },
        }),
        server,
      ),
    openapi: door.readOpenapi(),
    send,
    /** A reply that is not JSON, in full. */
    download: async (path: string) => {
      const request = new Request(`http://door.test${path}`, { headers: { authorization } })
      const response = await door.fetch(request, server)
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      const text = decoder.decode(await response.arrayBuffer())
      return { status: response.status, text, headers: response.headers }
    },
    get: (path: string) => send(new Request(`http://door.test${path}`, { headers: { authorization } })),
    remove: (path: string) =>
      send(new Request(`http://door.test${path}`, { method: 'DELETE', headers: { authorization } })),
    post: (path: string, body: unknown, method: 'POST' | 'PUT' = 'POST') =>
      send(
        new Request(`http://door.test${path}`, {
          method,
          body: JSON.stringify(body),
          headers: { authorization, 'content-type': 'application/json' },
        }),
      ),
    /** Charges a finished call of this key on `model-1`. */
    spend: (keyHash: string, nano: number) => {
      const key = opened.directory.findKey(keyHash)
      const team = opened.directory.findTeam(key?.teamId ?? '')
      if (key === undefined || team === undefined) throw new Error('no such key')
      limits.load([
        {
          owner: { kind: 'team', teamId: team.teamId },
          periodStart: team.budgetAnchor,
          spent: nanoDollars(nano),
        },
        {
          owner: { kind: 'key', teamId: team.teamId, keyHash },
          periodStart: key.budgetAnchor,
          spent: nanoDollars(nano),
        },
        {
          owner: { kind: 'key_model', teamId: team.teamId, keyHash, modelId: 'model-1' },
          periodStart: key.budgetAnchor,
          spent: nanoDollars(nano),
        },
      ])
    },
  }
}
