// GET /catalog and POST /catalog/reload: shows the models and their prices, and reads their file again.
import {
  type CatalogList,
  catalogReloadSchema,
  catalogSchema,
  reloadCatalogQuerySchema,
} from '@fairgate/contracts/management/catalog.ts'
import { describeCatalogModels } from '../catalog/describe-model.ts'
import type { ReloadCatalog } from '../catalog/reload-catalog.ts'
import type { Catalog } from '../catalog/types.ts'
import type { Directory } from '../directory/create-directory.ts'
import { isoTime } from '../directory/records.ts'
import { type AdminRoute, defineAdminRoute } from './admin-route.ts'
import { answerAct, orPreview, previewText } from './describe-preview.ts'
import { answer, lookupRoute } from './management-route.ts'

export type CatalogParts = {
  readonly catalog: Pick<Catalog, 'models' | 'families'>
  readonly reloadCatalog: ReloadCatalog
}

const tag = 'Catalog'

/** `clock`: Unix ms. */
export function catalogRoutes(
  { catalog, reloadCatalog }: CatalogParts,
  directory: Pick<Directory, 'version'>,
  clock: () => number,
): AdminRoute[] {
  const moment = () => ({ as_of: isoTime(clock()), version: directory.version() })
  return [
    lookupRoute({
      tag,
      openTo: 'everyone',
      path: '/catalog',
      summary: 'All models with their prices, limits and upstream',
      reply: catalogSchema,
      errors: [],
      look: (): CatalogList => ({ models: describeCatalogModels(catalog) }),
    }),
    // No `changeRoute`: it takes no body, so that what says how to make the act stands in the query.
    defineAdminRoute({
      method: 'POST',
      openTo: 'operators',
      path: '/catalog/reload',
      tag,
      summary: 'Reads the file of models again',
      description: `No request is dropped: running calls keep the prices they were admitted with. A faulty file is refused with the name of the entry at fault, and the catalog in force stays. \`warnings\` lists teams and keys that name models which there are not; they refuse nothing. ${previewText}`,
      query: reloadCatalogQuerySchema,
      replies: { 200: orPreview(catalogReloadSchema) },
      errors: ['admin_unauthorized', 'invalid_request', 'preview_outdated', 'unavailable'],
      handle: async ({ actor }, { query }) =>
        answer(await answerAct(reloadCatalog(query, actor), moment, made => made)),
    }),
  ]
}
