// Reloads the catalog while calls run. Each call keeps the model that it was admitted with; each reload is one audited change.
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogReload } from '@fairgate/contracts/management/catalog.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import type { Directory } from '../directory/create-directory.ts'
import { findMissingModels } from '../directory/find-missing-models.ts'
import { type ActionResult, type Plan, planChange } from '../directory/planned-action.ts'
import type { Log } from '../http/log.ts'
import type { Notices } from '../world/hold-notices.ts'
import { compareCatalogs } from './compare-catalogs.ts'
import { describeCatalogModels } from './describe-model.ts'
import { retirementHeaders } from './retirement.ts'
import type { Catalog } from './types.ts'

/** `readFile`: the bytes that `load` reads, unless it is given a text. Throws what the two throw. */
export function createReloadableCatalog(load: (text?: string) => Catalog, readFile: () => Uint8Array) {
  // Hash first: a file that is replaced between the two counts as a different one until the next reload.
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
    /** Always the current one. */
    catalog,
    /** SHA-256 of the current file, lower-case hex: the same on all processes with the same prices. */
    hash: () => hash,
    /** Reads the file, or a text that will replace it; `use` activates it. Throws what `load` and `readFile` throw. */
    readNext: (text?: string) => {
      const nextHash = hashCatalog(text === undefined ? readFile() : Buffer.from(text))
      const next = load(text)
      const use = () => {
        hash = nextHash
        current = next
      }
      return { catalog: next, use }
    },
  })
}

/** SHA-256, lower-case hex, for comparing the files of two processes. */
export function hashCatalog(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export type ReloadableCatalog = ReturnType<typeof createReloadableCatalog>

/** A text that replaces the file: `write` puts it there, just before it takes effect. */
export type NextFile = { readonly text: string; readonly write: () => void }

export type ReloadCatalog = (
  action: ActionBody,
  actor: string,
  file?: NextFile,
) => Promise<ActionResult<CatalogReload>>

/**
 * Reloads the catalog and the upstreams' keys, on a signal or through the admin door. Logs the reload and the models that their upstream
 * will retire. Throws ApiError `invalid_request` with the fault in the file, named without its folder, and `preview_outdated`; the current
 * catalog then stays. Follows a reload that another process has recorded.
 */
export function createReload(parts: {
  readonly reloadable: Pick<ReloadableCatalog, 'catalog' | 'readNext'>
  readonly modelsFile: string
  /** Reads the upstream keys again; the returned function activates them. Throws if one of their sources is faulty. */
  readonly readKeys: () => () => void
  readonly directory: Directory
  readonly clock: () => number
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}): ReloadCatalog {
  const { reloadable, modelsFile, readKeys, directory, clock, log } = parts
  const { catalog } = reloadable
  /** Both or none: a fault in one leaves the other unchanged too. */
  const readNext = (file?: NextFile) => {
    try {
      return { useKeys: readKeys(), next: reloadable.readNext(file?.text) }
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      throw new ApiError('invalid_request', {
        message: message.replaceAll(modelsFile, basename(modelsFile)),
        cause,
      })
    }
  }
  const prepare = (file?: NextFile) => {
    const { useKeys, next } = readNext(file)
    const difference = compareCatalogs(describeCatalogModels(catalog), describeCatalogModels(next.catalog))
    const ids = new Set(next.catalog.models.map(({ id }) => id))
    return {
      ...difference,
      // A signal reaches this as well, with no one to confirm: missing models are reported, and refuse nothing.
      plan: { changes: planDifference(difference) } satisfies Plan,
      /** Teams and keys that name models which the next catalog does not have. */
      warnings: findMissingModels(
        directory,
        id => ids.has(id),
        name => next.catalog.find(name) !== undefined,
      ),
      use: () => {
        file?.write()
        next.use()
        useKeys()
      },
    }
  }
  const report = (
    actor: string,
    { use: _use, plan: _plan, ...difference }: ReturnType<typeof prepare>,
  ): CatalogReload => {
    const { added, removed, changed, warnings } = difference
    const models = catalog.models.length
    log.info({ actor, models, added, removed, changed, warnings }, 'The catalog was reloaded.')
    warnOfRetirement(catalog, clock(), log)
    return { models, ...difference }
  }
  directory.onCatalogChange(() => {
    try {
      const followed = prepare()
      followed.use()
      report('another process', followed)
    } catch (error) {
      log.error(
        { err: error },
        'Another process reloaded its catalog. This one could not and keeps its current catalog.',
      )
    }
  })
  return async (action, actor, file) => {
    let warnings: readonly string[] = []
    const prepareAndWarn = () => {
      const prepared = prepare(file)
      warnings = prepared.warnings.map(describeMissing)
      return prepared
    }
    const { outcome, made } = await directory.changeCatalog(prepareAndWarn, action, actor)
    return { outcome: { ...outcome, warnings }, made: made === null ? null : report(actor, made) }
  }
}

/** `now`: Unix ms. */
export function warnOfRetirement(catalog: Catalog, now: number, log: Notices): void {
  for (const model of catalog.models) {
    const { sunset } = retirementHeaders(model, now)
    if (sunset === undefined) continue
    log.warn(
      { model: model.id, sunset },
      'The upstream will retire this model. Change or remove it in the catalog.',
    )
  }
}

function planDifference({
  added,
  removed,
  changed,
  before,
  after,
}: ReturnType<typeof compareCatalogs>): Plan['changes'] {
  return [
    ...added.flatMap(id => planChange('model', id, null, 'in the catalog')),
    ...removed.flatMap(id => planChange('model', id, 'in the catalog', null)),
    ...changed.flatMap(id =>
      Object.keys(after[id] ?? {}).flatMap(member =>
        planChange(`model.${member}`, id, showState(before[id]?.[member]), showState(after[id]?.[member])),
      ),
    ),
  ]
}

/** Prices and lists are shown as JSON. */
function showState(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value)
}

function describeMissing({ team_id: team, key, member, models }: CatalogReload['warnings'][number]): string {
  const owner = key === null ? `the team "${team}"` : `the key ${key.slice(0, 16)} of "${team}"`
  return `${member} of ${owner} names unknown models: ${models.join(', ')}`
}
