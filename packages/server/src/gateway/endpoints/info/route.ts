// GET /key/info, /team/info, /spend/logs and /coverage: a team's view of itself: its records, its calls, and how much of them the
// log covers (spec 2.1, 2.2, 4.1, 5.3).
import { callSchema } from '@fairgate/contracts/calls/call.ts'
import { callsPageSchema, callsQuerySchema } from '@fairgate/contracts/calls/call-list.ts'
import { coverageQuerySchema, teamCoverageSchema } from '@fairgate/contracts/calls/coverage.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { keyInfoSchema } from '@fairgate/contracts/info/key-record.ts'
import { teamInfoSchema } from '@fairgate/contracts/info/team-record.ts'
import Type from 'typebox'
import { listShown } from '../../../directory/announcements.ts'
import { toKeyHash } from '../../../directory/create-secret.ts'
import { isHashOf } from '../../../directory/key-secrets.ts'
import { parseRange } from '../../../directory/parse-times.ts'
import type { Key } from '../../../directory/types.ts'
import { defineRoute } from '../../../http/route.ts'
import { refuseUnknownParameters } from '../../../record/read-filter.ts'
import { writeCoverage } from '../../../record/write-coverage.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import type { EndpointParts } from '../endpoint-parts.ts'

const tag = 'Key and team'

const keyQuery = Type.Object({
  key: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'The calling key or its SHA-256 in hex; no other key can be viewed',
    }),
  ),
})

const teamQuery = Type.Object({ team_id: Type.String({ minLength: 1, description: 'From the key record' }) })

export function infoRoutes({ freeCall, records, announcements, calls, coverage, clock }: EndpointParts) {
  const key = defineRoute<Caller, undefined, typeof keyQuery>({
    method: 'GET',
    path: '/key/info',
    tag,
    summary: 'Get the calling key',
    description:
      'Shows the calling key only, whether or not `key` names it. Works even if the team is over its budget or a limit.',
    query: keyQuery,
    replies: { 200: keyInfoSchema },
    errors: ['invalid_request', ...freeCallErrors, 'key_not_found'],
    handle: (caller, call) => {
      if (!isOwn(caller.key, call.query.key)) {
        throw new ApiError('key_not_found', {
          param: 'key',
          message:
            'You can only view the key that you call with. Send the other key as the credential, or omit `key`.',
        })
      }
      return freeCall(caller, call, () => records.keyInfo(caller.key))
    },
  })
  const team = defineRoute<Caller, undefined, typeof teamQuery>({
    method: 'GET',
    path: '/team/info',
    tag,
    summary: 'Get your team',
    description: 'You can only view your own team. Works even if the team is over its budget or a limit.',
    query: teamQuery,
    replies: { 200: teamInfoSchema },
    errors: [
      'invalid_request',
      'invalid_api_key',
      'key_blocked',
      'key_expired',
      'team_blocked',
      'other_team',
      'route_not_allowed',
      'parallel_exceeded',
    ],
    handle: (caller, call) => {
      if (call.query.team_id !== caller.team.teamId) throw new ApiError('other_team', { param: 'team_id' })
      return freeCall(caller, call, async () => {
        const shown = listShown(announcements(), caller.team.teamId, clock())
        const info = await records.teamInfoInForce(caller.team)
        return shown.length === 0 ? info : { ...info, announcements: shown }
      })
    },
  })
  const list = defineRoute<Caller, undefined, typeof callsQuerySchema>({
    method: 'GET',
    path: '/spend/logs',
    tag,
    summary: "List your team's calls, newest first",
    description:
      'Lists each call on a route that costs money, including refused and failed calls, with its cost and outcome. Texts are not stored. A refused ' +
      'call appears within a second; repeats of it are counted and appear within a minute. Pass `next_before` of a page as `before` of ' +
      'the next and keep the other parameters. If few calls match the filter, a page may be short or empty: the list ends when ' +
      '`next_before` is null. Works even if the team is over its budget or a limit.',
    query: callsQuerySchema,
    replies: { 200: callsPageSchema },
    errors: ['invalid_request', ...freeCallErrors, 'key_not_found', 'unavailable'],
    handle: (caller, call) => {
      refuseUnknownParameters(callsQuerySchema, new URL(call.request.url).searchParams)
      const own = { teamId: caller.team.teamId, keyHash: caller.key.keyHash }
      return freeCall(caller, call, () => calls.readOwn(own, call.query))
    },
  })
  const one = defineRoute<Caller, undefined, undefined>({
    method: 'GET',
    path: '/spend/logs/:call_id',
    tag,
    summary: "Get one of your team's calls",
    description: 'Takes the `x-gateway-call-id` of its answer.',
    replies: { 200: callSchema },
    errors: [...freeCallErrors, 'call_not_found', 'unavailable'],
    handle: (caller, call) =>
      freeCall(caller, call, async () => {
        const { call_id: callId = '' } = call.params
        const found = await calls.findOwn(caller.team.teamId, callId)
        if (found !== null) return found
        throw new ApiError('call_not_found', {
          param: 'call_id',
          message: 'Your team has no call with this id. Refused calls appear after a second.',
        })
      }),
  })
  const covered = defineRoute<Caller, undefined, typeof coverageQuerySchema>({
    method: 'GET',
    path: '/coverage',
    tag,
    summary: "Show how much of your agents' spend the logbook covers",
    description:
      'Free. Matches the calls of recorded agents with log sessions by session id, otherwise by text. Organisers see the same figures. ' +
      '`sessions_without_entries` lists what is missing: push, so that the recorder sends its entries, and check again ten minutes later. ' +
      'Works even if the team is over its budget or a limit.',
    query: coverageQuerySchema,
    replies: { 200: teamCoverageSchema },
    errors: ['invalid_request', ...freeCallErrors, 'unavailable'],
    handle: (caller, call) => {
      const range = parseRange(call.query)
      call.keepOpen()
      return freeCall(caller, call, async () =>
        writeCoverage(await coverage.read(caller.team.teamId, range, call.signal), call.query),
      )
    },
  })
  return [key, team, list, one, covered]
}

/** `reference`: the key as the caller names it, either the key or its hash; undefined for none. */
function isOwn(key: Pick<Key, 'keyHash' | 'rotation'>, reference: string | undefined): boolean {
  return reference === undefined || isHashOf(key, toKeyHash(reference))
}
