// POST …:countTokens: how many tokens a prompt has. Free of charge: it takes a parallel slot as any call for information.
import { geminiCountSchema } from '@fairgate/contracts/gemini/count-request.ts'
import { geminiCountReplySchema } from '@fairgate/contracts/gemini/replies.ts'
import type { Route } from '../../../http/route.ts'
import type { Caller } from '../../stages/1-authenticate.ts'
import { checkCall, plainQuery } from './check-call.ts'
import { checkReferences, contentsOf } from './check-generate.ts'
import { generating } from './generate-routes.ts'
import { createBodyReader } from './read-body.ts'
import { readClientNames } from './read-client-names.ts'
import {
  type BytesContext,
  createFind,
  describeVerb,
  findPathModel,
  type PassThroughDependencies,
} from './relay-facts.ts'
import { rewriteModels } from './rewrite-models.ts'

const readCount = createBodyReader(geminiCountSchema)

export function countRoute(dependencies: PassThroughDependencies): Route<Caller> {
  const { catalog, relay, infoCall } = dependencies
  return {
    ...describeVerb(dependencies, 'countTokens', geminiCountSchema, geminiCountReplySchema),
    summary: 'The tokens of a prompt, free of charge',
    handle: async (caller: Caller, context: BytesContext) => {
      checkCall(context.request, plainQuery)
      const model = findPathModel(catalog, caller, context, [...generating, 'embedding'])
      const read = readCount(context.body)
      const { contents = [], generateContentRequest: whole } = read.value
      checkReferences(whole === undefined ? contents : [...contents, ...contentsOf(whole)])
      const body = rewriteModels(read, model, createFind(catalog, caller))
      context.keepOpen()
      context.note({ team_id: caller.team.teamId, key_name: caller.key.keyName, model: model.id })
      return infoCall(caller, context.callId, async headers => {
        const names = readClientNames(context.request.headers)
        const reply = await relay.call({ model, verb: 'countTokens', body, names })
        return new Response(reply.body, { headers: { ...headers, 'content-type': reply.contentType } })
      })
    },
  }
}
