// POST …:predict: images by an imggen model, charged per image as they come.
import { geminiPredictSchema } from '@fairgate/contracts/gemini/predict-request.ts'
import { geminiPredictReplySchema } from '@fairgate/contracts/gemini/replies.ts'
import type { Route } from '../../../http/route.ts'
import type { Caller } from '../../stages/1-authenticate.ts'
import { checkCall, plainQuery } from './check-call.ts'
import { planPredict } from './plan-per-item.ts'
import { createBodyReader } from './read-body.ts'
import { readClientNames } from './read-client-names.ts'
import { readUsage } from './read-usage.ts'
import {
  type BytesContext,
  describeVerb,
  findPathModel,
  type PassThroughDependencies,
  respondWith,
} from './relay-facts.ts'

/** What predict takes is free-form to the vendor: its names have one spelling. */
const readPredict = createBodyReader(geminiPredictSchema, (_, value) => value)

export function predictRoute(dependencies: PassThroughDependencies): Route<Caller> {
  const { catalog, relay, mediaCall } = dependencies
  return {
    ...describeVerb(dependencies, 'predict', geminiPredictSchema, geminiPredictReplySchema),
    summary: 'One to four images',
    handle: async (caller: Caller, context: BytesContext) => {
      checkCall(context.request, plainQuery)
      const model = findPathModel(catalog, caller, context, ['imggen'])
      const { bytes, value } = readPredict(context.body)
      return mediaCall(caller, context, {
        plan: planPredict(value, model),
        call: async () => {
          const names = readClientNames(context.request.headers)
          const reply = await relay.call({ model, verb: 'predict', body: bytes, names })
          return { reply, usage: readUsage(reply.body, model) }
        },
        respond: respondWith,
      })
    },
  }
}
