// GET /self and the routes below it: a team's own figures, calls, spend and models for its page. None of them counts against a limit.
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
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { spendSeriesSchema } from '@fairgate/contracts/spend/spend-report.ts'
import { describeModel } from '../catalog/describe-model.ts'
import { listShown } from '../directory/announcements.ts'
import { gatewayAt, isEventRefusal } from '../directory/event/event.ts'
import { parseRange } from '../directory/parse-times.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import { modelsOfPhase } from '../gateway/flow/check-event.ts'
import { listCallable } from '../gateway/flow/find-model.ts'
import type { Route } from '../http/route.ts'
import type { RouteFamily } from '../http/route-family.ts'
import { liveHeaders, readLastId, serveLive } from '../people/serve-live.ts'
import { writeCoverage } from '../record/write-coverage.ts'
import { buildSelf } from './build-self.ts'
import { judgingRoutes } from './judging-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { logRoutes } from './log-routes.ts'
import { messageRoutes } from './message-routes.ts'
import { momentOf, type SelfSources, selfRoute } from './self-route.ts'
import { topicOf } from './shared-figures.ts'
import { submissionRoutes } from './submission-routes.ts'

/** Older refusals are not shown as new. */
const refusalMs = 10 * 60_000
/** Search range for refusals. Equal refusals in a row are one item, placed at the time of the first one. */
const searchedMs = 60 * 60_000

export function selfRoutes(sources: SelfSources, family: RouteFamily<Caller>): Route<Caller>[] {
  const { calls, coverage, directory, catalog, reports, clock } = sources
  return [
    selfRoute({
      path: '/self',
      summary: 'Get an overview of your team',
      description:
        'Money, keys, the same lights that organisers see, the newest refusal, the phase, and announcements.',
      reply: selfSchema,
      look: caller => readSelf(sources, caller),
    }),
    selfRoute({
      path: '/self/calls',
      summary: "List your team's calls, newest first",
      description: 'The same as `GET /spend/logs`.',
      query: callsQuerySchema,
      reply: callsPageSchema,
      errors: ['invalid_request', 'key_not_found'],
      isStrict: true,
      look: ({ team, key }, { query }) => calls.readOwn({ teamId: team.teamId, keyHash: key.keyHash }, query),
    }),
    selfRoute({
      path: '/self/calls/:call_id',
      summary: "Get one of your team's calls",
      reply: callSchema,
      errors: ['call_not_found'],
      look: async ({ team }, { params: { call_id: callId = '' } }) => {
        const found = await calls.findOwn(team.teamId, callId)
        if (found === null) throw new ApiError('call_not_found', { param: 'call_id' })
        return found
      },
    }),
    selfRoute({
      path: '/self/series',
      summary: "Your team's spend over time",
      query: selfSeriesQuerySchema,
      reply: spendSeriesSchema,
      errors: ['invalid_request'],
      isStrict: true,
      look: ({ team }, { query }) => reports.series({ ...query, team_id: team.teamId }),
    }),
    selfRoute({
      path: '/self/sessions',
      summary: "List your team's sessions, and how much of its spend they explain",
      description: 'The same as `GET /coverage`.',
      query: coverageQuerySchema,
      reply: teamCoverageSchema,
      errors: ['invalid_request'],
      keepsOpen: true,
      look: async ({ team }, { query, signal: client }) =>
        writeCoverage(await coverage.read(team.teamId, parseRange(query), client), query),
    }),
    selfRoute({
      path: '/self/models',
      summary: 'List the models the key can call now, with prices and limits',
      reply: selfModelsSchema,
      look: (caller): SelfModels => {
        const models = modelsOfPhase({ event: directory.event, clock })
        const callable = Map.groupBy(listCallable(catalog, caller, models), ({ model }) => model)
        const items = [...callable].map(([model, named]): SelfModels['items'][number] => {
          const { id, modality, context_limit, max_output, retires_on, rpm_limit, tpm_limit, ...rest } =
            describeModel(model)
          const { price, price_above } = rest
          const names = named.map(({ name }) => name)
          const limits = { context_limit, max_output, rpm_limit, tpm_limit }
          return { id, names, modality, ...limits, retires_on, price, price_above }
        })
        return { ...momentOf(sources), items }
      },
    }),
    selfRoute({
      path: '/self/stream',
      summary: 'Follow your team live, as server-sent events',
      description:
        'The event `self` has the part of `GET /self` that is the same for the whole team, once at the beginning and then on changes, at most once a second. ' +
        "`beat` comes every 5 s with the server's time. With `Last-Event-ID` a reader continues at its position; otherwise `reset` comes first. The stream ends with the " +
        'session, and by itself after a while; connect again then.',
      headers: liveHeaders,
      reply: selfStreamEventSchema,
      replyHeaders: ['cache-control', 'x-accel-buffering'],
      errors: ['too_many_streams'],
      keepsOpen: true,
      look: async ({ team, key }, call) => {
        const opener = { owner: key.keyHash, address: call.remoteAddress }
        const reader = await sources.feed.open(new Set([topicOf(team.teamId)]), readLastId(call), opener)
        return serveLive(call, reader, sources.every, () => family.authenticate(call.request, call))
      },
    }),
    ...logRoutes(sources),
    ...messageRoutes(sources),
    ...submissionRoutes(sources),
    ...judgingRoutes(sources),
    ...keyRoutes(sources),
  ]
}

async function readSelf(sources: SelfSources, { team, key }: Caller): Promise<Self> {
  const { directory, records, calls, clock } = sources
  const now = clock()
  const keys = directory.keysOfTeam(team.teamId)
  const [figures, rows, recorders, refused] = await Promise.all([
    sources.figures.readTeam(team),
    records.keyRows(keys),
    sources.recorders.list(team.teamId),
    calls.readOwn(
      { teamId: team.teamId, keyHash: key.keyHash },
      { outcome: 'refused', limit: 1, from: isoTime(now - searchedMs) },
    ),
  ])
  const [newest = null] = refused.items
  const isNews =
    newest !== null &&
    Date.parse(newest.last_at) > now - refusalMs &&
    // A pause or an end that is over needs no action from the team.
    !(isEventRefusal(newest.code) && gatewayAt(directory.event(), now).kind === 'open')
  if (figures === null)
    throw new ApiError('invalid_api_key', { message: 'The team of this key no longer exists.' })
  return buildSelf({
    now,
    version: directory.version(),
    ...figures,
    event: directory.event(),
    directory,
    key,
    keys: keys.map((each, index) => ({ key: each, spend: rows[index]?.spend ?? 0 })),
    refusal: isNews ? newest : null,
    recorders,
    addresses: sources.addresses.ofClients(),
    announcements: listShown(directory.announcements(), team.teamId, now),
  })
}
