// GET /spend/logs and /spend/logs/{call_id}: a team reads what is on record of its own calls, refusals explained.
import { callSchema } from '@fairgate/contracts/calls/call.ts'
import { callsPageSchema, callsQuerySchema } from '@fairgate/contracts/calls/call-list.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { defineRoute } from '../../../http/route.ts'
import type { CallsReader } from '../../../record/calls-reader.ts'
import { refuseUnknownParameters } from '../../../record/read-filter.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import type { RunFreeCall } from '../../flow/free-call.ts'

export type SpendLogsDependencies = {
  readonly freeCall: RunFreeCall
  readonly calls: Pick<CallsReader, 'readOwn' | 'findOwn'>
}

const tag = 'Key and team'

export function spendLogsRoutes({ freeCall, calls }: SpendLogsDependencies) {
  const list = defineRoute<Caller, undefined, typeof callsQuerySchema>({
    method: 'GET',
    path: '/spend/logs',
    tag,
    summary: 'The calls of the own team, newest first',
    description:
      'Each call on a route that costs money, refused and failed ones too, with its cost and what became of it. Texts are not kept. A refused ' +
      'call is there within a second; further ones like it are counted, and follow within a minute. Pass `next_before` of a page as `before` of ' +
      'the next and keep the other parameters. With a filter that few calls pass, a page may be short or empty: the list ends where ' +
      '`next_before` is null. Answers also while the team is over its budget or a limit.',
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
    pathExamples: { call_id: '019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f' },
    tag,
    summary: 'One call of the own team',
    description: 'By the `x-gateway-call-id` of its answer.',
    replies: { 200: callSchema },
    errors: [...freeCallErrors, 'call_not_found', 'unavailable'],
    handle: (caller, call) =>
      freeCall(caller, call, async () => {
        const { call_id: callId = '' } = call.params
        const found = await calls.findOwn(caller.team.teamId, callId)
        if (found !== null) return found
        throw new ApiError('call_not_found', {
          param: 'call_id',
          message: 'Your team has no such call on record. A refused call is there after a second.',
        })
      }),
  })
  return [list, one]
}
