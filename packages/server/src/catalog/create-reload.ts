// Composes the reload of the catalog and of the upstreams' keys, and logs what it changed and which models their upstream will end.
import type { CatalogReload } from '@fairgate/contracts/management/catalog.ts'
import type { Directory } from '../directory/create-directory.ts'
import { findMissingModels } from '../directory/find-missing-models.ts'
import type { Log } from '../http/log.ts'
import type { Notices } from '../world/hold-notices.ts'
import { type CatalogReloadDependencies, createCatalogReload, type ReloadCatalog } from './reload-catalog.ts'
import { retirementHeaders } from './retirement.ts'
import type { Catalog } from './types.ts'

export function createReload(parts: {
  readonly reloadable: CatalogReloadDependencies['reloadable']
  readonly modelsFile: string
  /** Reads the keys of the upstreams again; what it answers puts them in force. Throws when one of their places is faulty. */
  readonly readKeys: () => () => void
  readonly directory: Directory
  readonly clock: () => number
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}): ReloadCatalog {
  const { reloadable, modelsFile, readKeys, directory, clock, log } = parts
  const { reload, follow } = createCatalogReload({
    reloadable: {
      catalog: reloadable.catalog,
      // Both or none: a fault in one leaves the other as it is, too.
      readNext: text => {
        const useKeys = readKeys()
        const next = reloadable.readNext(text)
        const use = () => {
          next.use()
          useKeys()
        }
        return { catalog: next.catalog, use }
      },
    },
    path: modelsFile,
    change: directory.changeCatalog,
    findMissing: ({ models, find }) => {
      const ids = new Set(models.map(model => model.id))
      return findMissingModels(
        directory,
        id => ids.has(id),
        name => find(name) !== undefined,
      )
    },
  })
  const report = (actor: string, { models, added, removed, changed, warnings }: CatalogReload) => {
    log.info({ actor, models, added, removed, changed, warnings }, 'The catalog was read again.')
    warnOfRetirement(reloadable.catalog, clock(), log)
  }
  directory.onCatalogChange(() => {
    try {
      report('another process', follow())
    } catch (error) {
      log.error(
        { err: error },
        'Another process has read its catalog again. This one could not: the catalog in force stays.',
      )
    }
  })
  return async (act, actor, file) => {
    const result = await reload(act, actor, file)
    if (result.made !== null) report(actor, result.made)
    return result
  }
}

/** `now`: Unix ms. */
export function warnOfRetirement(catalog: Catalog, now: number, log: Notices): void {
  for (const model of catalog.models) {
    const { sunset } = retirementHeaders(model, now)
    if (sunset === undefined) continue
    log.warn({ model: model.id, sunset }, 'The upstream ends this model: change or remove it in the catalog.')
  }
}
