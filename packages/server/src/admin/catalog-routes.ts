// GET /catalog, POST /catalog/reload and /catalog/edit: shows the models and their prices, reads their file again, and changes it.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import {
  type CatalogList,
  catalogReloadSchema,
  catalogSchema,
  editCatalogBodySchema,
  editCatalogPreviewSchema,
  editCatalogReplySchema,
  reloadCatalogQuerySchema,
} from '@fairgate/contracts/management/catalog.ts'
import Type from 'typebox'
import { describeCatalogModels } from '../catalog/describe-model.ts'
import { editCatalogFile } from '../catalog/edit-catalog-file.ts'
import { buildPreview } from '../directory/planned-act.ts'
import {
  type AdminRoute,
  actRoute,
  changeRoute,
  lookupRoute,
  type Management,
  previewText,
} from './management-route.ts'

const tag = 'Catalog'

export function catalogRoutes({ catalog, reloadCatalog, catalogFile, moment }: Management): AdminRoute[] {
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
    // It takes no body: what says how to make the act stands in the query.
    actRoute(moment, {
      method: 'POST',
      openTo: 'operators',
      path: '/catalog/reload',
      tag,
      summary: 'Reads the file of models again',
      description:
        'No request is dropped: running calls keep the prices they were admitted with. A faulty file is refused with the name of the entry at fault, and the catalog in force stays. `warnings` lists teams and keys that name models which there are not; they refuse nothing.',
      query: reloadCatalogQuerySchema,
      reply: catalogReloadSchema,
      errors: [],
      act: (query, actor) => reloadCatalog(query, actor),
      describe: made => made,
    }),
    changeRoute({
      openTo: 'organisers',
      path: '/catalog/edit',
      tag,
      summary: 'Change, add and remove models in their file',
      description: `The file stays the truth: it is written, comments kept, and read again. Where the server does not write it (the file that Fairgate ships, several processes, or no permission), a dry run answers the whole \`file\` to put there, and the change itself is refused with 409 \`conflict\`. ${previewText}`,
      body: editCatalogBodySchema,
      reply: Type.Union([editCatalogReplySchema, editCatalogPreviewSchema]),
      errors: ['conflict', 'preview_outdated', 'unavailable'],
      change: async ({ models, ...act }, actor) => {
        const { text, undo } = editCatalogFile(catalogFile.read(), models)
        const canWrite = catalogFile.canWrite()
        if (!canWrite && act.dry_run !== true)
          throw new ApiError('conflict', {
            message:
              'The server does not write this file of models: it is the one that Fairgate ships, other processes have files of their own, or it is not writable. Save the file of the dry run, name it as models_file in the settings, and restart or read the catalog again.',
          })
        const edited = { file: text, can_write: canWrite, undo }
        const change = reloadCatalog(act, actor, { text, write: () => catalogFile.write(text) })
        const { outcome, made } = await change
        return made === null ? { ...buildPreview(outcome), ...moment(), ...edited } : { ...made, ...edited }
      },
    }),
  ]
}
