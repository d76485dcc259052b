// Checks the catalog: prices of 0, models that their upstream retires, and whether the running catalog matches the file.
import type { Catalog, CatalogModel } from '../../catalog/types.ts'
import { messageOf } from '../../world/message-of.ts'
import { type Found, fault, ok, warning } from './finding.ts'

export type CatalogFacts = {
  /** Reads the file. Throws an Error that names the entry at fault, such as one without a price that it needs. */
  readonly load: () => Catalog
  /** Null if no server runs. */
  readonly inForce: {
    readonly hash: () => string
    readonly hashOfFile: () => string
    /** Number of processes with other prices than these. */
    readonly differing: () => number
  } | null
  /** Unix ms. */
  readonly now: number
}

const dayMs = 86_400_000
/** Long enough for an event and the weeks of its preparation. */
const noticeDays = 30

export function checkCatalog({ load, inForce, now }: CatalogFacts): Found {
  let catalog: Catalog
  try {
    catalog = load()
  } catch (error) {
    return fault(
      messageOf(error),
      'Correct the entry. A running server keeps the catalog that it has loaded.',
    )
  }
  const { models } = catalog
  return [
    ok(`${models.length} models, each with all prices that its calls need`),
    models.flatMap(findFreePrices),
    models.flatMap(model => findRetirement(model, now)),
    inForce === null ? [] : compareInForce(inForce),
  ].flat()
}

/** Loading refuses a missing price. A price of 0 may be intended, or forgotten. */
function findFreePrices({ id, price }: CatalogModel): Found {
  const isFree = price.tiers.every(({ rates }) => Object.values(rates).every(rate => rate === 0))
  if (!isFree) return []
  return warning(
    `${id} costs nothing: all its prices are 0, so budgets do not limit its calls`,
    'If this is not intended, set its prices in the catalog and run: fairgate catalog reload',
  )
}

function findRetirement({ id, retiresOn }: CatalogModel, now: number): Found {
  if (retiresOn === null) return []
  const days = (Date.parse(retiresOn) - now) / dayMs
  if (days > noticeDays) return []
  const fix = 'Put its successor into the catalog, or name a model in its `fallbacks`.'
  const text =
    days <= 0
      ? `the upstream has not guaranteed ${id} since ${retiresOn}`
      : `the upstream retires ${id} on ${retiresOn}, in ${Math.ceil(days)} days`
  return warning(text, fix)
}

function compareInForce({ hash, hashOfFile, differing }: NonNullable<CatalogFacts['inForce']>): Found {
  const isSame = hash() === hashOfFile()
  const edited = 'the catalog file was changed after it was loaded'
  const different = 'processes have different catalog files, and so different prices'
  return [
    isSame ? [] : warning(edited, 'Run: fairgate catalog reload'),
    differing() > 0
      ? fault(different, 'Give all of them the same file, then run: fairgate catalog reload')
      : [],
  ].flat()
}
