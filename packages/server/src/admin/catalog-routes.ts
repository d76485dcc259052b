// GET /catalog, POST /catalog/reload and /catalog/edit: list the models and prices, reload their file, and edit it.
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
import { buildPreview } from '../directory/planned-action.ts'
import {
  type AdminRoute,
  actionRoute,
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
      summary: 'List all models with their prices, limits and upstream',
      reply: catalogSchema,
      errors: [],
      look: (): CatalogList => ({ models: describeCatalogModels(catalog) }),
    }),
    // It has no body, so `dry_run`, `preview_id` and `reason` are in the query.
    actionRoute(moment, {
      method: 'POST',
      openTo: 'operators',
      path: '/catalog/reload',
      tag,
      summary: 'Reload the models file',
      description:
        'No request is dropped: running calls keep the prices they were admitted with. A faulty file is refused with the name of the faulty entry, and the current catalog stays. `warnings` lists teams and keys that name unknown models; they block nothing.',
      query: reloadCatalogQuerySchema,
      reply: catalogReloadSchema,
      errors: [],
      action: (query, actor) => reloadCatalog(query, actor),
      describe: made => made,
    }),
    changeRoute({
      openTo: 'organisers',
      path: '/catalog/edit',
      tag,
      summary: 'Change, add and remove models in the models file',
      description: `The file stays the source of truth: it is written with its comments kept, then reloaded. If the server does not write it (the file that Fairgate ships, multiple processes, or no permission), a dry run returns the whole \`file\` to put there, and the change itself is refused with 409 \`conflict\`. ${previewText}`,
      body: editCatalogBodySchema,
      reply: Type.Union([editCatalogReplySchema, editCatalogPreviewSchema]),
      errors: ['conflict', 'preview_outdated', 'unavailable'],
      change: async ({ models, ...action }, actor) => {
        const { text, undo } = editCatalogFile(catalogFile.read(), models)
        const canWrite = catalogFile.canWrite()
        if (!canWrite && action.dry_run !== true)
          throw new ApiError('conflict', {
            message:
              'The server does not write this models file: it is the one that Fairgate ships, other processes have their own files, or it is not writable. Save the file from the dry run, set it as models_file in the settings, and restart or reload the catalog.',
          })
        const edited = { file: text, can_write: canWrite, undo }
        const change = reloadCatalog(action, actor, { text, write: () => catalogFile.write(text) })
        const { outcome, made } = await change
        return made === null ? { ...buildPreview(outcome), ...moment(), ...edited } : { ...made, ...edited }
      },
    }),
  ]
}
