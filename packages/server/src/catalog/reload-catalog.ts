// A catalog that can be read again while calls run. Each call keeps the model that it was admitted with; each reload is one audited change.
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogReload } from '@fairgate/contracts/management/catalog.ts'
import type { ActBody } from '@fairgate/contracts/management/planned-act.ts'
import { type ActResult, type Plan, planChange } from '../acts/planned-act.ts'
import { compareCatalogs } from './compare-catalogs.ts'
import { describeCatalogModels } from './describe-model.ts'
import type { Catalog } from './types.ts'

/** `readFile`: the bytes of what `load` reads, unless it is given a text. Throws what the two throw. */
export function createReloadableCatalog(load: (text?: string) => Catalog, readFile: () => Uint8Array) {
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
    /** Reads it again, or a text that will take its place; `use` puts it in force. Throws what `load` and `readFile` throw. */
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

/** SHA-256, lower-case hex: how the files of two processes are compared. */
export function hashCatalog(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export type ReloadableCatalog = ReturnType<typeof createReloadableCatalog>

type Difference = ReturnType<typeof compareCatalogs>
type Change = Difference & {
  readonly plan: Plan
  /** Teams and keys that name models which the next catalog does not have. */
  readonly warnings: CatalogReload['warnings']
  readonly use: () => void
}

export type CatalogReloadDependencies = {
  readonly reloadable: Pick<ReloadableCatalog, 'catalog' | 'readNext'>
  /** Where the catalog is read from, as its errors name it. */
  readonly path: string
  /** Records what `prepare` returns, then calls its `use`; one change at a time. */
  readonly change: (prepare: () => Change, act: ActBody, actor: string) => Promise<ActResult<Change>>
  readonly findMissing: (catalog: Catalog) => CatalogReload['warnings']
}

/** A text that takes the place of the file: `write` puts it there, just before it counts. */
export type NextFile = { readonly text: string; readonly write: () => void }

export type ReloadCatalog = (
  act: ActBody,
  actor: string,
  file?: NextFile,
) => Promise<ActResult<CatalogReload>>

/**
 * `reload`: whether a signal or the admin door asks for it. Throws ApiError `invalid_request` with what is wrong in the file, named
 * without its folder, and `preview_outdated`; the catalog in force then stays. `follow`: another process has done so, and has recorded it; throws the same.
 */
export function createCatalogReload(dependencies: CatalogReloadDependencies): {
  readonly reload: ReloadCatalog
  readonly follow: () => CatalogReload
} {
  const { reloadable, path, change, findMissing } = dependencies
  const { catalog } = reloadable
  const readNext = (text?: string) => {
    try {
      return reloadable.readNext(text)
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      throw new ApiError('invalid_request', { message: message.replaceAll(path, basename(path)), cause })
    }
  }
  const prepare = (file?: NextFile): Change => {
    const next = readNext(file?.text)
    const difference = compareCatalogs(describeCatalogModels(catalog), describeCatalogModels(next.catalog))
    // A signal reads it too, and nobody is there to confirm: what the catalog lacks is told, and refuses nothing.
    const plan: Plan = { changes: planDifference(difference), warnings: [], basis: [] }
    const use = () => {
      file?.write()
      next.use()
    }
    return { ...difference, plan, warnings: findMissing(next.catalog), use }
  }
  const describe = ({ use: _use, plan: _plan, ...difference }: Change): CatalogReload => ({
    models: catalog.models.length,
    ...difference,
    added: [...difference.added],
    removed: [...difference.removed],
    changed: [...difference.changed],
  })
  return {
    reload: async (act, actor, file) => {
      let warnings: readonly string[] = []
      const prepareAndWarn = () => {
        const prepared = prepare(file)
        warnings = prepared.warnings.map(describeMissing)
        return prepared
      }
      const { outcome, made } = await change(prepareAndWarn, act, actor)
      return { outcome: { ...outcome, warnings }, made: made === null ? null : describe(made) }
    },
    follow: () => {
      const followed = prepare()
      followed.use()
      return describe(followed)
    },
  }
}

function planDifference({ added, removed, changed, before, after }: Difference): Plan['changes'] {
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

/** Prices and lists are told as JSON. */
function showState(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value)
}

function describeMissing({ team_id: team, key, member, models }: CatalogReload['warnings'][number]): string {
  const owner = key === null ? `the team "${team}"` : `the key ${key.slice(0, 16)} of "${team}"`
  return `${member} of ${owner} names what the catalog does not have: ${models.join(', ')}`
}
