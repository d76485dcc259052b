// GET /model/info and /model_group/info: the whole catalog in LiteLLM's formats. The gateway has the same for what a key can call.
import {
  modelGroupListSchema,
  modelGroupQuerySchema,
  modelInfoListSchema,
  modelInfoQuerySchema,
} from '@fairgate/contracts/info/model-info.ts'
import { listModelGroups, listModelInfo, type NamedModel } from '../catalog/list-model-info.ts'
import type { Catalog } from '../catalog/types.ts'
import { type AdminRoute, lookupRoute, type Management } from './management-route.ts'

const facts = {
  tag: 'Catalog',
  openTo: 'everyone',
  description: "In LiteLLM's format; `GET /catalog` shows more.",
  errors: ['invalid_request', 'model_not_found'],
} as const

export function modelInfoRoutes({ catalog }: Management): AdminRoute[] {
  return [
    {
      ...lookupRoute({
        ...facts,
        path: '/model/info',
        summary: 'List the models with prices and limits',
        query: modelInfoQuerySchema,
        reply: modelInfoListSchema,
        look: ({ litellm_model_id: id }) => listModelInfo(listNames(catalog), id),
      }),
      aliases: ['/v1/model/info'],
    },
    lookupRoute({
      ...facts,
      path: '/model_group/info',
      summary: 'List the names of models with prices and limits',
      query: modelGroupQuerySchema,
      reply: modelGroupListSchema,
      look: ({ model_group: name }) => listModelGroups(listNames(catalog), name),
    }),
  ]
}

/** Each model under its id and its aliases, in the order of the file. */
function listNames({ models }: Pick<Catalog, 'models'>): NamedModel[] {
  return models.flatMap(model => [model.id, ...model.aliases].map(name => ({ name, model })))
}
