// GET /self and what is below it: a team's own figures, calls, spend and models, as its page shows them. Nothing here counts against a limit.
import { callSchema } from '@fairgate/contracts/calls/call.ts'
import { callsPageSchema, callsQuerySchema } from '@fairgate/contracts/calls/call-list.ts'
import { coverageQuerySchema, teamCoverageSchema } from '@fairgate/contracts/calls/coverage.ts'
import {
  type Self,
  type SelfModels,
  selfModelsSchema,
  selfSchema,
  selfSeriesQuerySchema,
  selfStreamEventSchema,
} from '@fairgate/contracts/console/self.ts'
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type SpendSeries,
  type SpendSeriesQuery,
  spendSeriesSchema,
} from '@fairgate/contracts/spend/spend-report.ts'
import type { TObject } from 'typebox'
import { describeModel } from '../catalog/describe-model.ts'
import type { Catalog } from '../catalog/types.ts'
import { type Announcement, listShown } from '../directory/announcements.ts'
import type { Directory } from '../directory/create-directory.ts'
import { type Event, gatewayAt, isEventRefusal } from '../directory/event/event.ts'
import { parseRange } from '../directory/parse-range.ts'
import type { Team } from '../directory/types.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import { modelsOfPhase } from '../gateway/flow/check-event.ts'
import { listCallable } from '../gateway/flow/find-model.ts'
import type { Call } from '../http/call.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { RouteFamily } from '../http/route-family.ts'
import type { LiveReader } from '../insight/live-feed.ts'
import type { OwnerRecords } from '../limits/owner-records.ts'
import { type Every, liveHeaders, readLastId, serveLive } from '../people/serve-live.ts'
import type { CallsReader } from '../record/calls-reader.ts'
import type { CoverageReader } from '../record/coverage-reader.ts'
import { refuseUnknownParameters } from '../record/read-filter.ts'
import { writeCoverage } from '../record/write-coverage.ts'
import type { Board } from '../store/statements/boards.ts'
import type { QuestionSum } from '../store/statements/questions.ts'
import type { SeenRecorder } from '../store/statements/recorders.ts'
import { answerSelf } from './answer-self.ts'
import { buildSelf } from './build-self.ts'
import { type KeyRoutesDependencies, keyRoutes } from './key-routes.ts'
import { type LogRoutesDependencies, logRoutes } from './log-routes.ts'
import { type MessageRoutesDependencies, messageRoutes } from './message-routes.ts'
import { selfErrors, selfTag as tag } from './session-routes.ts'

/** What all pages of a team share. */
export type TeamFigures = {
  readonly row: TeamRow
  readonly board: Board | null
  readonly limits: Self['limits_now']
  readonly questions: QuestionSum | null
}

export type SelfDependencies = LogRoutesDependencies &
  MessageRoutesDependencies &
  KeyRoutesDependencies & {
    readonly directory: Pick<Directory, 'findMember' | 'findLogTokenById' | 'keysOfTeam' | 'version'>
    readonly event: () => Event
    readonly announcements: () => readonly Announcement[]
    readonly catalog: Catalog
    readonly records: Pick<OwnerRecords, 'keyRows'>
    readonly calls: Pick<CallsReader, 'readOwn' | 'findOwn'>
    readonly coverage: Pick<CoverageReader, 'read'>
    /** As organisers see the team; read once a second at most, however many pages ask. Null for a team that is not there any more. */
    readonly readTeam: (team: Team) => Promise<TeamFigures | null>
    /** The figures of a team as they change. Rejects with ApiError `unavailable`, `too_many_streams`. */
    readonly openStream: (
      teamId: string,
      lastId: string | null,
      opener: { readonly owner: string; readonly address: string | null },
    ) => Promise<LiveReader>
    readonly every: Every
    /** Of a team. Rejects with StoreUnavailable. */
    readonly listRecorders: (teamId: string) => Promise<readonly SeenRecorder[]>
    readonly readSeries: (query: SpendSeriesQuery) => Promise<SpendSeries>
    readonly addresses: () => { readonly gateway: string; readonly logbook: string }
    /** Unix ms. */
    readonly clock: () => number
  }

/** An older refusal is no news. */
const refusalMs = 10 * 60_000
/** Equal refusals in a row are one item, which stands where the first of them came. */
const searchedMs = 60 * 60_000

export function selfRoutes(dependencies: SelfDependencies, family: RouteFamily<Caller>): Route<Caller>[] {
  const { calls, coverage, directory, catalog, readSeries, clock } = dependencies
  const moment = () => ({ as_of: isoTime(clock()), version: directory.version() })
  const shared = { method: 'GET', tag, replyHeaders: ['cache-control'] } as const
  const errors = [...selfErrors, 'unavailable'] as const
  const routes: Route<Caller>[] = [
    defineRoute<Caller, undefined, undefined>({
      ...shared,
      path: '/self',
      summary: 'The own team at a glance',
      description:
        'Money, keys, the lights of organisers, the newest refusal, the phase, and what the organisers say.',
      replies: { 200: selfSchema },
      errors,
      handle: async caller => answerSelf(await readSelf(dependencies, caller)),
    }),
    defineRoute<Caller, undefined, typeof callsQuerySchema>({
      ...shared,
      path: '/self/calls',
      summary: 'The calls of the own team, newest first',
      description: 'The same as `GET /spend/logs`.',
      query: callsQuerySchema,
      replies: { 200: callsPageSchema },
      errors: [...errors, 'invalid_request', 'key_not_found'],
      handle: async ({ team, key }, call) => {
        refuseUnknown(callsQuerySchema, call)
        return answerSelf(await calls.readOwn({ teamId: team.teamId, keyHash: key.keyHash }, call.query))
      },
    }),
    defineRoute<Caller, undefined, undefined>({
      ...shared,
      path: '/self/calls/:call_id',
      pathExamples: { call_id: '019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f' },
      summary: 'One call of the own team',
      replies: { 200: callSchema },
      errors: [...errors, 'call_not_found'],
      handle: async ({ team }, { params: { call_id: callId = '' } }) => {
        const found = await calls.findOwn(team.teamId, callId)
        if (found === null) throw new ApiError('call_not_found', { param: 'call_id' })
        return answerSelf(found)
      },
    }),
    defineRoute<Caller, undefined, typeof selfSeriesQuerySchema>({
      ...shared,
      path: '/self/series',
      summary: 'What the own team spent over time',
      query: selfSeriesQuerySchema,
      replies: { 200: spendSeriesSchema },
      errors: [...errors, 'invalid_request'],
      handle: async ({ team }, call) => {
        refuseUnknown(selfSeriesQuerySchema, call)
        return answerSelf(await readSeries({ ...call.query, team_id: team.teamId }))
      },
    }),
    defineRoute<Caller, undefined, typeof coverageQuerySchema>({
      ...shared,
      path: '/self/sessions',
      summary: 'The sessions of the own team, and how much of its spend they explain',
      description: 'The same as `GET /coverage`.',
      query: coverageQuerySchema,
      replies: { 200: teamCoverageSchema },
      errors: [...errors, 'invalid_request'],
      handle: async ({ team }, call) => {
        const range = parseRange(call.query)
        call.keepOpen()
        return answerSelf(writeCoverage(await coverage.read(team.teamId, range), call.query))
      },
    }),
    defineRoute<Caller, undefined, undefined>({
      ...shared,
      path: '/self/models',
      summary: 'What the key can call now, with prices and limits',
      replies: { 200: selfModelsSchema },
      errors,
      handle: caller => {
        const callable = Map.groupBy(
          listCallable(catalog, caller, modelsOfPhase(dependencies)),
          ({ model }) => model,
        )
        const items = [...callable].map(([model, named]): SelfModels['items'][number] => {
          const { id, modality, context_limit, max_output, retires_on, rpm_limit, tpm_limit, ...rest } =
            describeModel(model)
          const { price, price_above } = rest
          const names = named.map(({ name }) => name)
          const limits = { context_limit, max_output, rpm_limit, tpm_limit }
          return { id, names, modality, ...limits, retires_on, price, price_above }
        })
        return answerSelf({ ...moment(), items } satisfies SelfModels)
      },
    }),
    defineRoute<Caller, undefined, undefined>({
      ...shared,
      path: '/self/stream',
      summary: 'Follow the own team live, as server-sent events',
      description:
        'The event `self` has what is the same for everybody of the team in `GET /self`, once at the beginning and then when it changes, at most once a second. ' +
        '`beat` comes every 5 s with the time of the server. With `Last-Event-ID` a reader goes on at its place; else `reset` comes first. The stream ends when the ' +
        'session does, and after a while by itself: connect again.',
      headers: liveHeaders,
      replies: { 200: selfStreamEventSchema },
      replyHeaders: ['cache-control', 'x-accel-buffering'],
      errors: [...errors, 'too_many_streams'],
      handle: async ({ team, key }, call) => {
        call.keepOpen()
        const opener = { owner: key.keyHash, address: call.remoteAddress }
        const reader = await dependencies.openStream(team.teamId, readLastId(call), opener)
        return serveLive(call, reader, dependencies.every, () => family.authenticate(call.request, call))
      },
    }),
  ]
  return [
    ...routes,
    ...logRoutes(dependencies),
    ...messageRoutes(dependencies),
    ...keyRoutes(dependencies),
  ].map(route => ({
    ...route,
    family,
  }))
}

async function readSelf(dependencies: SelfDependencies, { team, key }: Caller): Promise<Self> {
  const { directory, records, calls, readTeam, announcements, clock } = dependencies
  const now = clock()
  const keys = directory.keysOfTeam(team.teamId)
  const [figures, rows, recorders, refused] = await Promise.all([
    readTeam(team),
    records.keyRows(keys),
    dependencies.listRecorders(team.teamId),
    calls.readOwn(
      { teamId: team.teamId, keyHash: key.keyHash },
      { outcome: 'refused', limit: 1, from: isoTime(now - searchedMs) },
    ),
  ])
  const [newest = null] = refused.items
  const isNews =
    newest !== null &&
    Date.parse(newest.last_at) > now - refusalMs &&
    // A pause or an end that is over needs nothing of the team.
    !(isEventRefusal(newest.code) && gatewayAt(dependencies.event(), now).kind === 'open')
  if (figures === null)
    throw new ApiError('invalid_api_key', { message: 'The team of this key does not exist any more.' })
  return buildSelf({
    now,
    version: directory.version(),
    ...figures,
    event: dependencies.event(),
    findMember: memberId => directory.findMember(memberId),
    key,
    keys: keys.map((each, index) => ({ key: each, spend: rows[index]?.spend ?? 0 })),
    refusal: isNews ? newest : null,
    recorders,
    findOwner: tokenId => directory.findMember(directory.findLogTokenById(tokenId)?.memberId ?? '') ?? null,
    addresses: dependencies.addresses(),
    announcements: listShown(announcements(), team.teamId, now),
  })
}

function refuseUnknown(schema: TObject, { request }: Pick<Call, 'request'>): void {
  refuseUnknownParameters(schema, new URL(request.url).searchParams)
}
