// GET /catalog and POST /catalog/reload: which models there are and what they cost, and reading their file again.
import {
  type CatalogList,
  catalogReloadSchema,
  catalogSchema,
} from '@fairgate/contracts/management/catalog.ts'
import type { ReloadCatalog } from '../../catalog/create-catalog-reload.ts'
import { describeCatalogModels } from '../../catalog/describe-model.ts'
import type { Catalog } from '../../catalog/types.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { answer } from '../answer.ts'
import type { AdminCaller } from '../authenticate-admin.ts'

export type CatalogDependencies = {
  readonly catalog: Pick<Catalog, 'models' | 'families'>
  readonly reloadCatalog: ReloadCatalog
}

const tag = 'Catalog'

export function catalogRoutes({ catalog, reloadCatalog }: CatalogDependencies): Route<AdminCaller>[] {
  return [
    defineRoute<AdminCaller, undefined, undefined>({
      method: 'GET',
      path: '/catalog',
      tag,
      summary: 'All models with their prices, limits and upstream',
      replies: { 200: catalogSchema },
      errors: ['admin_unauthorized'],
      handle: () => {
        const list: CatalogList = { models: describeCatalogModels(catalog) }
        return answer(list)
      },
    }),
    defineRoute<AdminCaller, undefined, undefined>({
      method: 'POST',
      path: '/catalog/reload',
      tag,
      summary: 'Reads the file of models again',
      description:
        'No request is dropped: running calls keep the prices they were admitted with. A faulty file is refused with the name of the entry at fault, and the catalog in force stays. `warnings` lists teams and keys that name models which there are not.',
      replies: { 200: catalogReloadSchema },
      errors: ['admin_unauthorized', 'invalid_request', 'unavailable'],
      handle: async ({ actor }) => answer(await reloadCatalog(actor)),
    }),
  ]
}
