// A catalog that can be read again while calls run. Each call keeps the model that it was admitted with; each reload is one audited change.
import { basename } from 'node:path'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogReload } from '@fairgate/contracts/management/catalog.ts'
import { compareCatalogs } from './compare-catalogs.ts'
import { describeCatalogModels } from './describe-model.ts'
import type { Catalog } from './types.ts'

/** Throws what `load` throws. */
export function createReloadableCatalog(load: () => Catalog) {
  let current = load()
  const catalog: Catalog = Object.freeze({
    find: (name: string) => current.find(name),
    get models() {
      return current.models
    },
    get families() {
      return current.families
    },
  })
  return Object.freeze({
    /** Always the one in force. */
    catalog,
    /** Reads it again; `use` puts it in force. Throws what `load` throws. */
    readNext: () => {
      const next = load()
      const use = () => {
        current = next
      }
      return { catalog: next, use }
    },
  })
}

export type ReloadableCatalog = ReturnType<typeof createReloadableCatalog>

type Change = ReturnType<typeof compareCatalogs> & { readonly use: () => void }

export type CatalogReloadDependencies = {
  readonly reloadable: ReloadableCatalog
  /** Where the catalog is read from, as its errors name it. */
  readonly path: string
  /** Records what `prepare` returns, then calls its `use`; one change at a time. */
  readonly change: (prepare: () => Change, actor: string) => Promise<Change>
  /** Teams and keys that name models which this catalog does not have. */
  readonly findMissing: (catalog: Catalog) => CatalogReload['warnings']
}

export type ReloadCatalog = (actor: string) => Promise<CatalogReload>

/**
 * Whether a signal or the admin door asks for it. The returned function throws ApiError `invalid_request` with what is wrong in the file,
 * named without its folder; the catalog in force then stays.
 */
export function createCatalogReload(dependencies: CatalogReloadDependencies): ReloadCatalog {
  const { reloadable, path, change, findMissing } = dependencies
  const { catalog } = reloadable
  const readNext = () => {
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
