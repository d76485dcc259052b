// GET /v1/models and /v1/models/{id}: what the calling key may call, aliases included, in OpenAI's shape (spec 4.1).

import { type ModelItem, modelListSchema, modelSchema } from '@fairgate/contracts/info/model-list.ts'
import type { Catalog } from '../../../catalog/types.ts'
import { defineRoute } from '../../../http/route.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import { listCallable, refuseUnknownModel } from '../../flow/find-model.ts'
import type { RunFreeCall } from '../../flow/free-call.ts'

export type ListModelsDependencies = {
  readonly freeCall: RunFreeCall
  readonly catalog: Catalog
}

/** OpenAI's list wants a creation time; a constant keeps the reply the same for everybody. */
const created = 1_677_610_602

function describe(id: string): ModelItem {
  return { id, object: 'model', created, owned_by: 'fairgate' }
}

export function listModelsRoutes({ freeCall, catalog }: ListModelsDependencies) {
  const errors = freeCallErrors
  const list = defineRoute<Caller, undefined, undefined>({
    method: 'GET',
    path: '/v1/models',
    aliases: ['/models'],
    tag: 'Models',
    summary: 'The models this key can call',
    replies: { 200: modelListSchema },
    errors,
    handle: (caller, call) =>
      freeCall(caller, call, () => ({
        object: 'list',
        data: listCallable(catalog, caller).map(({ name }) => describe(name)),
      })),
  })
  const one = defineRoute<Caller, undefined, undefined>({
    method: 'GET',
    path: '/v1/models/:id',
    aliases: ['/models/:id'],
    pathExamples: { id: 'mm-2.5-flash' },
    tag: 'Models',
    summary: 'One model, if this key can call it',
    replies: { 200: modelSchema },
    errors: [...errors, 'model_not_found'],
    handle: (caller, call) => {
      const id = call.params.id ?? ''
      if (!listCallable(catalog, caller).some(({ name }) => name === id))
        throw refuseUnknownModel(catalog, caller, id)
      return freeCall(caller, call, () => describe(id))
    },
  })
  return [list, one]
}
