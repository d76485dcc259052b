// POST …:predictLongRunning: a video for one price a request, ordered and watched as those of /v1/videos (spec 2.8, 4.1).
import { geminiLongRunningSchema } from '@fairgate/contracts/gemini/long-running-request.ts'
import { geminiOperationSchema } from '@fairgate/contracts/gemini/replies.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import { costOf } from '../../../ledger/price.ts'
import type { CallPlan } from '../../flow/admit.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { checkLongRunning } from './check-long-running.ts'
import { describeVerb, type PassThroughDependencies, readVerb } from './describe-verb.ts'
import { createBodyReader } from './read-body.ts'
import { nameOperation, rewriteReply } from './rewrite-reply.ts'

/** As for predict: one spelling of each name. */
const readLongRunning = createBodyReader(geminiLongRunningSchema, (_, value) => value)

const units = { request: 1 }

export function longRunningRoute(dependencies: PassThroughDependencies): Route<Caller> {
  const { catalog, paidOrder, videoRelay, publicUrl } = dependencies
  return {
    ...describeVerb(dependencies, 'predictLongRunning', geminiLongRunningSchema, geminiOperationSchema),
    summary: 'A video, as an operation to be polled',
    description:
      'Any `video-` model, for one price a request, charged now (header `x-gateway-response-cost`) and refunded if the operation ends with an error or ' +
      'without a video. Poll the operation by its name; the addresses of its files lead through this gateway.',
    handle: async (caller: Caller, call: Call<Uint8Array>) => {
      const { model, body } = readVerb(catalog, caller, call, {
        modalities: ['video'],
        read: readLongRunning,
        check: checkLongRunning,
      })
      let reply = ''
      const { task, headers } = await paidOrder(caller, call, {
        plan: planLongRunning(model),
        units,
        wish: null,
        start: async () => {
          const started = await videoRelay.start(model, body, caller.team.teamId)
          reply = started.reply
          return started
        },
      })
      const operation = nameOperation(model, task.operation ?? '')
      return new Response(rewriteReply(reply, { operation, publicUrl: publicUrl() }), {
        headers: { ...headers, 'content-type': 'application/json; charset=UTF-8' },
      })
    },
  }
}

function planLongRunning(model: CatalogModel): CallPlan {
  const cost = costOf(model.price, units, 0)
  return {
    model,
    endpoint: 'predictLongRunning',
    tokens: { input: 0, output: 0 },
    estimate: { kind: 'fixed', cost },
  }
}
