// A catalog that can be read again while calls run. Each call keeps the model that it was admitted with; each reload is one audited change.
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogReload } from '@fairgate/contracts/management/catalog.ts'
import { compareCatalogs } from './compare-catalogs.ts'
import { describeCatalogModels } from './describe-model.ts'
import type { Catalog } from './types.ts'

/** `readFile`: the bytes of what `load` reads. Throws what the two throw. */
export function createReloadableCatalog(load: () => Catalog, readFile: () => Uint8Array) {
  // Hashed first: a file that is replaced between the two counts as another one until the next reload.
  let hash = hashCatalog(readFile())
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
    /** SHA-256 of the file that is in force, lower-case hex: the same on all processes that price alike. */
    hash: () => hash,
    /** Reads it again; `use` puts it in force. Throws what `load` and `readFile` throw. */
    readNext: () => {
      const nextHash = hashCatalog(readFile())
      const next = load()
      const use = () => {
        hash = nextHash
        current = next
      }
      return { catalog: next, use }
    },
  })
}

/** SHA-256, lower-case hex: how the files of two processes are compared. */
export function hashCatalog(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export type ReloadableCatalog = ReturnType<typeof createReloadableCatalog>

type Change = ReturnType<typeof compareCatalogs> & { readonly use: () => void }

export type CatalogReloadDependencies = {
  readonly reloadable: Pick<ReloadableCatalog, 'catalog' | 'readNext'>
  /** Where the catalog is read from, as its errors name it. */
  readonly path: string
  /** Records what `prepare` returns, then calls its `use`; one change at a time. */
  readonly change: (prepare: () => Change, actor: string) => Promise<Change>
  /** Teams and keys that name models which this catalog does not have. */
  readonly findMissing: (catalog: Catalog) => CatalogReload['warnings']
}

export type ReloadCatalog = (actor: string) => Promise<CatalogReload>

/**
 * `reload`: whether a signal or the admin door asks for it. Throws ApiError `invalid_request` with what is wrong in the file, named
 * without its folder; the catalog in force then stays. `follow`: another process has done so, and has recorded it; throws the same.
 */
export function createCatalogReload(dependencies: CatalogReloadDependencies): {
  readonly reload: ReloadCatalog
  readonly follow: () => CatalogReload
} {
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
  const describe = ({ use: _use, ...difference }: Change): CatalogReload => ({
    models: catalog.models.length,
    ...difference,
    added: [...difference.added],
    removed: [...difference.removed],
    changed: [...difference.changed],
    warnings: findMissing(catalog),
  })
  return {
    reload: async actor => describe(await change(prepare, actor)),
    follow: () => {
      const followed = prepare()
      followed.use()
      return describe(followed)
    },
  }
}
