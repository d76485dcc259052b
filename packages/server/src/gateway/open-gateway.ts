// Opens the gateway: its door, with the parts that calls need and the record of them.
import type { Catalog } from '../catalog/types.ts'
import type { FileService } from '../files/file-service.ts'
import type { ImageAddresses } from '../files/image-addresses.ts'
import { createFileInliner, createFileReader } from '../files/inline-files.ts'
import type { Door } from '../http/create-door.ts'
import type { LogAccess } from '../http/log-access.ts'
import type { OpenPage } from '../http/open-pages.ts'
import type { Pages } from '../http/pages/serve-pages.ts'
import type { Route } from '../http/route.ts'
import { FairLines } from '../limits/fair/fair-lines.ts'
import type { Ledger } from '../limits/open-ledger.ts'
import { createAudioEncoder } from '../media/audio-encoder.ts'
import { JoinService } from '../people/join-service.ts'
import type { Entrance } from '../process/open-entrance.ts'
import type { Records } from '../record/open-records.ts'
import type { Upstreams } from '../upstream/open-upstreams.ts'
import { createImageInliner } from '../upstream/remote-media/create-image-inliner.ts'
import { resolveHost } from '../upstream/remote-media/find-public-address.ts'
import { createByteBudget } from '../upstream/reply-limits.ts'
import type { Videos } from '../videos/open-videos.ts'
import type { World } from '../world/world.ts'
import {
  answerWithBothPrefixes,
  createAbsentRoutes,
  createGatewayRoutes,
  type GatewayDependencies,
  gatewayPages,
} from './app.ts'
import { imageAtAddressRoute } from './endpoints/images/at-address-route.ts'
import { type JoinDependencies, joinRoutes } from './endpoints/join/route.ts'
import { messagesPlaces } from './endpoints/messages/messages-family.ts'
import { readPassThroughKey } from './endpoints/pass-through/pass-through-family.ts'
import { createAuthenticateUpload } from './endpoints/pass-through/resumable-upload.ts'
import { openStoredResponses } from './endpoints/responses/open-stored-responses.ts'
import { type Caller, createAuthenticate } from './flow/authenticate.ts'
import { type KeyPlaces, keySchemes, readKey, usualPlaces } from './flow/read-key.ts'
import { createModelsSection } from './models-section.ts'
import { createNotOfferedSection } from './not-offered.ts'
import { startCallRecord } from './start-call-record.ts'
import type { Traces } from './traces/open-traces.ts'
import { watchCharges } from './watch-charges.ts'

type Neighbours = Pick<Entrance, 'makeDoor' | 'addresses' | 'readiness'> &
  Pick<Records, 'calls' | 'coverage' | 'digestTexts'> & {
    readonly ledger: Ledger
    readonly catalog: Catalog
    readonly upstreams: Upstreams
    /** Null while none are exported. */
    readonly traces: Traces | null
    readonly videos: Videos
    readonly files: FileService
    readonly images: ImageAddresses
    /** Counts calls that are not charged by their teams; null if no one asks for it. */
    readonly teamWatch: { readonly noteUncharged: GatewayDependencies['recordUncharged'] } | null
    readonly recorders: { readonly list: JoinDependencies['listRecorders'] }
    readonly pages: Pages
    /** The team page and the wall, which are served here. */
    readonly teamPage: {
      readonly routes: readonly Route<Caller>[]
      readonly openRoutes: readonly Route<null>[]
      readonly claims: JoinDependencies['page']
    }
    readonly wall: { readonly openRoutes: readonly Route<null>[] }
    /** Results of judging, for everybody once they are published. */
    readonly results: {
      readonly openRoutes: readonly Route<null>[]
      readonly openPages: Readonly<Record<string, OpenPage>>
    }
  }

const mebibyte = 1024 * 1024
const imageTimeoutMs = 15_000
const retryMs = 1000
/** Names that no API route has; `/join/…` is a page of its own. */
const teamPageRoot = '/page'
const teamPagePaths = [
  '/',
  '/sign-in',
  '/connect',
  '/calls',
  '/log',
  '/log/*',
  '/limits',
  '/ask',
  '/submission',
  '/judging',
]

export function openGateway(world: World, neighbours: Neighbours): Door {
  const { store, clock, config } = world
  const { makeDoor, ledger, catalog, addresses, calls, recorders, pages, teamPage, wall, results, traces } =
    neighbours
  const { directory } = ledger
  const authenticateAt = (places: KeyPlaces) =>
    createAuthenticate({ ...directory, clock, readSecret: ({ headers }) => readKey(headers, places) })
  const authenticatePassThrough = createAuthenticate({ ...directory, clock, readSecret: readPassThroughKey })
  const authenticateMessages = authenticateAt(messagesPlaces)
  const routes = createGatewayRoutes(
    openCalls(world, neighbours),
    authenticatePassThrough,
    authenticateMessages,
    createAuthenticateUpload({ ...directory, clock, files: neighbours.files }),
  )
  return makeDoor<Caller>({
    name: 'gateway',
    title: 'Fairgate gateway',
    description:
      'Models for the teams of the competition. Send your gateway key (`sk-…`) as bearer token. Clients of other APIs may send it in ' +
      '`api-key`, `x-api-key` or `x-goog-api-key`; two different keys are refused.',
    securityScheme: { type: 'http', scheme: 'bearer', description: 'A gateway key, `sk-…`' },
    otherSecuritySchemes: keySchemes,
    readSections: createModelsSection(catalog, [createNotOfferedSection()]),
    routes: [...(traces === null ? routes : routes.map(traces.followRoute)), ...teamPage.routes],
    absentRoutes: createAbsentRoutes(authenticatePassThrough, authenticateMessages),
    openRoutes: [
      ...joinRoutes({
        service: new JoinService({ ...world, ...store, directory, addresses: addresses.ofClients }),
        page: teamPage.claims,
        addresses: addresses.ofClients,
        directory,
        calls,
        read: store.read,
        listRecorders: recorders.list,
        clock,
        script: () => pages.joinScript(teamPageRoot),
      }),
      answerWithBothPrefixes(imageAtAddressRoute(neighbours.images)),
      ...teamPage.openRoutes,
      ...wall.openRoutes,
      ...results.openRoutes,
    ],
    authenticate: authenticateAt(usualPlaces),
    callingOrigins: config.gatewayOrigins,
    ...(traces === null ? {} : { logAccess: both(world.logAccess, traces.end) }),
    ownerOf: ({ key }) => key.keyHash,
    teamOf: ({ team }) => team.teamId,
    openPages: {
      ...gatewayPages,
      ...results.openPages,
      ...pages.documents('team', teamPageRoot, teamPagePaths),
      ...pages.documents('wall', '/wall-page', ['/wall/:token']),
    },
  })
}

function both(logAccess: LogAccess, end: LogAccess): LogAccess {
  return (facts, call) => {
    logAccess(facts, call)
    end(facts, call)
  }
}

/** The parts that a call needs. */
function openCalls(world: World, neighbours: Neighbours): GatewayDependencies {
  const { config, store, clock, stopwatch, after, wait, randomBytes, metrics, log, onStop } = world
  const { ledger, catalog, upstreams, videos, files, images, addresses, readiness, teamWatch, traces } =
    neighbours
  const { calls, coverage, digestTexts } = neighbours
  const { directory, writer } = ledger
  const { limits, idempotency } = config.settings
  const maxBodyBytes = limits.max_body_mebibytes * mebibyte
  const callRecord = startCallRecord({ ...world, settings: config.settings })
  onStop(callRecord.stop)
  const readFiles = createFileReader({
    files,
    maxBytes: maxBodyBytes,
    heldBytes: createByteBudget(limits.bodies.process_mebibytes * mebibyte),
    newMark: () => `file-${randomBytes(16).toString('hex')}`,
  })
  const audio = createAudioEncoder()
  onStop(audio.close)
  return {
    clock,
    stopwatch,
    after,
    event: directory.event,
    announcements: directory.announcements,
    keysOfTeam: directory.keysOfTeam,
    findMember: directory.findMember,
    catalog,
    records: ledger.records,
    calls,
    coverage,
    digestTexts,
    recordUncharged: call => {
      teamWatch?.noteUncharged(call)
      callRecord.add(call)
    },

    limits: ledger.limits,
    ...createFairness(world, ledger),
    ...(traces === null ? {} : { followCall: traces.followCall }),
    writer,
    isLedgerHealthy: () => ledger.whyUnhealthy() === null,
    awaitLedgerHealth: ledger.awaitHealth,
    observeCharge: watchCharges(metrics, log),
    observeRefusal: metrics.observeRefusal,
    uncharged: { findRatio: directory.findHoldRatio, follow: directory.followUncharged },

    upstream: upstreams.chat,
    media: upstreams.media,
    messages: upstreams.messages,
    askInTurn: upstreams.askInTurn,
    relay: upstreams.relay,
    video: upstreams.video,
    videoRelay: upstreams.videoRelay,
    countInput: (request, model, outputCap, signal, team) =>
      upstreams.chat.countTokens({ request, model, outputCap }, signal, team).catch(() => null),
    inlineImages: createImageInliner({ resolve: resolveHost, fetch, timeoutMs: imageTimeoutMs }),
    encodeAudio: audio.encode,

    files,
    images,
    readFiles,
    inlineFiles: createFileInliner(readFiles),
    videos,
    videoWrites: { ...ledger.videoWrites, hideVideoTask: store.write.hideVideoTask },
    newVideoId: () => `video_${randomBytes(16).toString('hex')}`,
    videoDeadlineMs: config.settings.videos.deadline_minutes * 60_000,
    expectVideo: videos.expect,
    waitToRetry: async () => {
      await wait(retryMs)
      return !readiness.isStopped()
    },

    idempotentCalls: store,
    refundLostAnswer: callId => ledger.corrections.refundLostAnswer(callId),
    processId: () => ledger.lease.process().processId,
    recording: {
      maxBytes: idempotency.max_answer_mebibytes * mebibyte,
      recordedBytes: createByteBudget(idempotency.max_recording_mebibytes * mebibyte),
    },
    reportUnkeptReply: (error, callId) =>
      log.warn({ err: error, call_id: callId }, 'Could not store the answer to an idempotent call.'),

    minimumUsefulOutput: limits.min_useful_output,
    maxBodyBytes,
    responses: openStoredResponses({ ...world, settings: config.settings, maxBodyBytes }),
    publicUrl: () => addresses.ofClients().gateway,
    reportError: (error, callId) =>
      log.warn({ err: error, call_id: callId }, 'A call failed after its reply had started.'),
  }
}

/** No call waits if the settings say so. */
function createFairness(
  { config, clock, after, metrics }: World,
  { limits: { admit }, joinLines }: Ledger,
): Pick<GatewayDependencies, 'fairLines' | 'queueMs'> {
  const queueMs = config.settings.limits.queue_seconds * 1000
  if (queueMs === 0) return {}
  const fairLines = new FairLines({ admit, clock, after })
  metrics.watch({ waitingCalls: () => fairLines.countWaiting() })
  joinLines?.(fairLines)
  return { fairLines, queueMs }
}
