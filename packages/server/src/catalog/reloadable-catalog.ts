// A catalog that can be read anew while calls run: each call keeps the model that it was admitted with.
import type { Catalog } from './types.ts'

export type ReloadableCatalog = {
  readonly catalog: Catalog
  /** Reads it again. Throws what `load` throws; the catalog in force then stays. */
  readonly reload: () => void
}

/** Throws what `load` throws. */
export function createReloadableCatalog(load: () => Catalog): ReloadableCatalog {
  let current = load()
  const catalog: Catalog = Object.freeze({
    find: (name: string) => current.find(name),
    get models() {
      return current.models
    },
  })
  return Object.freeze({
    catalog,
    reload: () => {
      current = load()
    },
  })
}
