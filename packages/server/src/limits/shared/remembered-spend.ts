// Tells what was spent from the database, and what was last known of it while the database is away.
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { KeyPeriod, Limits, ModelSpend, OwnerPeriod, Spend } from '../port.ts'
import type { RunQuery } from './admission-lane.ts'
import { readModelSpend, readSpend } from './read-spend.ts'

const mostRemembered = 10_000

/** Both reads throw ApiError `unavailable` where nothing is known: nobody is told a spend that is not theirs. */
export class RememberedSpend implements Pick<Limits, 'readSpend' | 'readModelSpend'> {
  readonly #read: RunQuery
  readonly #ofOwners = new Map<string, Spend>()
  readonly #ofModels = new Map<string, readonly ModelSpend[]>()

  constructor(read: RunQuery) {
    this.#read = read
  }

  readonly readSpend = (asked: readonly OwnerPeriod[]): Promise<readonly Spend[]> =>
    readOrRecall(
      this.#ofOwners,
      asked.map(({ owner, periodStart }) => JSON.stringify([owner, periodStart])),
      () => readSpend(this.#read, asked),
    )

  readonly readModelSpend = (keys: readonly KeyPeriod[]): Promise<readonly (readonly ModelSpend[])[]> =>
    readOrRecall(
      this.#ofModels,
      keys.map(({ keyHash, periodStart }) => JSON.stringify([keyHash, periodStart])),
      () => readModelSpend(this.#read, keys),
    )
}

/** `names` are those of what `read` answers, in its order. */
async function readOrRecall<Known>(
  last: Map<string, Known>,
  names: readonly string[],
  read: () => Promise<readonly Known[]>,
): Promise<readonly Known[]> {
  try {
    const found = await read()
    for (const [index, known] of found.entries()) {
      if (last.size >= mostRemembered) last.clear()
      last.set(names[index] ?? '', known)
    }
    return found
  } catch (error) {
    return names.map(name => {
      const known = last.get(name)
      if (known === undefined) throw unavailable(5, error)
      return known
    })
  }
}
