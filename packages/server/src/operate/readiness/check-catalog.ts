// Checks the catalog: prices that are 0, models that their upstream ends, and whether the file is what is in force.
import type { Catalog, CatalogModel } from '../../catalog/types.ts'
import { messageOf } from '../../world/message-of.ts'
import { type Found, fault, ok, warning } from './finding.ts'

export type CatalogFacts = {
  /** Reads the file. Throws an Error that names the entry at fault: one without a price it needs, above all. */
  readonly load: () => Catalog
  /** Null where no server runs. */
  readonly inForce: {
    readonly hash: () => string
    readonly hashOfFile: () => string
    /** Processes with other prices than these; their number. */
    readonly differing: () => number
  } | null
  /** Unix ms. */
  readonly now: number
}

const dayMs = 86_400_000
/** An event and the weeks in which it is prepared. */
const noticeDays = 30

export function checkCatalog({ load, inForce, now }: CatalogFacts): Found {
  let catalog: Catalog
  try {
    catalog = load()
  } catch (error) {
    return fault(messageOf(error), 'Correct the entry. A server that runs keeps what it has read before.')
  }
  const { models } = catalog
  return [
    ok(`${models.length} models, each with the prices that its calls are always billed by`),
    models.flatMap(findFreePrices),
    models.flatMap(model => findRetirement(model, now)),
    inForce === null ? [] : compareInForce(inForce),
  ].flat()
}

/** The load refuses a missing price. A price of 0 may be meant, or forgotten. */
function findFreePrices({ id, price }: CatalogModel): Found {
  const isFree = price.tiers.every(({ rates }) => Object.values(rates).every(rate => rate === 0))
  if (!isFree) return []
  return warning(
    `${id} costs nothing: all its prices are 0, so budgets do not hold its calls`,
    'If that is not meant, write its prices into the catalog and run: fairgate catalog reload',
  )
}

function findRetirement({ id, retiresOn }: CatalogModel, now: number): Found {
  if (retiresOn === null) return []
  const days = (Date.parse(retiresOn) - now) / dayMs
  if (days > noticeDays) return []
  const fix = 'Put its successor into the catalog, or name a model in its `fallbacks`.'
  const text =
    days <= 0
      ? `since ${retiresOn} the upstream no longer promises ${id}`
      : `the upstream ends ${id} on ${retiresOn}, in ${Math.ceil(days)} days`
  return warning(text, fix)
}

function compareInForce({ hash, hashOfFile, differing }: NonNullable<CatalogFacts['inForce']>): Found {
  const isSame = hash() === hashOfFile()
  const edited = 'the file is not what is in force: it was changed since it was read'
  const different = 'processes have different files of models, and so different prices'
  return [
    isSame ? [] : warning(edited, 'Run: fairgate catalog reload'),
    differing() > 0 ? fault(different, 'Give all the same file, then run: fairgate catalog reload') : [],
  ].flat()
}
