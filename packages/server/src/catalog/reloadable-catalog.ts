// A catalog that can be read again while calls run: each call keeps the model that it was admitted with.
import type { Catalog } from './types.ts'

export type NextCatalog = {
  readonly catalog: Catalog
  /** Puts it in force. */
  readonly use: () => void
}

export type ReloadableCatalog = {
  /** Always the one in force. */
  readonly catalog: Catalog
  /** Reads it again. Throws what `load` throws. */
  readonly readNext: () => NextCatalog
}

/** Throws what `load` throws. */
export function createReloadableCatalog(load: () => Catalog): ReloadableCatalog {
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
    catalog,
    readNext: () => {
      const next = load()
      const use = () => {
        current = next
      }
      return { catalog: next, use }
    },
  })
}
