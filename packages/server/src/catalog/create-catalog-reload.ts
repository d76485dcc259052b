// Reading the catalog again as one audited change, whether a signal or the admin door asks for it.
import { basename } from 'node:path'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogReload } from '@fairgate/contracts/management/catalog.ts'
import { type CatalogDifference, compareCatalogs } from './compare-catalogs.ts'
import { describeCatalogModels } from './describe-model.ts'
import type { NextCatalog, ReloadableCatalog } from './reloadable-catalog.ts'
import type { Catalog } from './types.ts'

type Change = CatalogDifference & Pick<NextCatalog, 'use'>

export type CatalogReloadDependencies = {
  readonly reloadable: ReloadableCatalog
  /** Where the catalog is read from, as its errors name it. */
  readonly path: string
  /** Records what `prepare` answers, then calls its `use`; one change at a time. */
  readonly change: (prepare: () => Change, actor: string) => Promise<Change>
  /** Who names models that this catalog does not have. */
  readonly findMissing: (catalog: Catalog) => CatalogReload['warnings']
}

export type ReloadCatalog = (actor: string) => Promise<CatalogReload>

/**
 * The returned function throws ApiError `invalid_request` with what is wrong in the file, named without its folder: the
 * catalog in force then stays.
 */
export function createCatalogReload(dependencies: CatalogReloadDependencies): ReloadCatalog {
  const { reloadable, path, change, findMissing } = dependencies
  const { catalog } = reloadable
  const readNext = (): NextCatalog => {
    try {
      return reloadable.readNext()
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      throw new ApiError('invalid_request', { message: message.replaceAll(path, basename(path)), cause })
    }
  }
  const prepare = (): Change => {
    const next = readNext()
    const difference = compareCatalogs(describeCatalogModels(catalog), describeCatalogModels(next.catalog))
    return { ...difference, use: next.use }
  }
  return async actor => {
    const { use, ...difference } = await change(prepare, actor)
    return {
      models: catalog.models.length,
      ...difference,
      added: [...difference.added],
      removed: [...difference.removed],
      changed: [...difference.changed],
      warnings: findMissing(catalog),
    }
  }
}
