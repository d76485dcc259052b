// GET /model/info and /model_group/info: the models that the calling key can call, with prices and limits, in LiteLLM's formats.
import {
  modelGroupListSchema,
  modelGroupQuerySchema,
  modelInfoListSchema,
  modelInfoQuerySchema,
} from '@fairgate/contracts/info/model-info.ts'
import { listModelGroups, listModelInfo } from '../../../catalog/list-model-info.ts'
import { defineRoute } from '../../../http/route.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import { modelsOfPhase } from '../../flow/check-event.ts'
import { listCallable } from '../../flow/find-model.ts'
import type { EndpointParts } from '../endpoint-parts.ts'

export function modelInfoRoutes({ freeCall, catalog, ...parts }: EndpointParts) {
  const listNow = (caller: Caller) => listCallable(catalog, caller, modelsOfPhase(parts))
  const info = defineRoute<Caller, undefined, typeof modelInfoQuerySchema>({
    method: 'GET',
    path: '/model/info',
    tag: 'Models',
    summary: 'List the models this key can call, with prices and limits',
    description: "In LiteLLM's format, for its clients.",
    query: modelInfoQuerySchema,
    replies: { 200: modelInfoListSchema },
    errors: ['invalid_request', ...freeCallErrors, 'model_not_found'],
    handle: (caller, call) =>
      freeCall(caller, call, () => listModelInfo(listNow(caller), call.query.litellm_model_id)),
  })
  const groups = defineRoute<Caller, undefined, typeof modelGroupQuerySchema>({
    method: 'GET',
    path: '/model_group/info',
    tag: 'Models',
    summary: 'List the names of models this key can call, with prices and limits',
    description: "In LiteLLM's format, for its clients.",
    query: modelGroupQuerySchema,
    replies: { 200: modelGroupListSchema },
    errors: ['invalid_request', ...freeCallErrors, 'model_not_found'],
    handle: (caller, call) =>
      freeCall(caller, call, () => listModelGroups(listNow(caller), call.query.model_group)),
  })
  return [info, groups]
}
