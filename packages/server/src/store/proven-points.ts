// Stores up to which call each team's rows have been proven and their sums, so that the next proof sums only newer rows.
import type { KeyModelCost } from './statements/spend-proof.ts'
import type { Store } from './store.ts'

export type ProvenPoint = {
  /** All charges with a lower id are in `costs`. */
  readonly beforeId: string
  readonly costs: readonly KeyModelCost[]
  readonly rows: number
  /** Unix ms: when all rows were last summed from the first on. */
  readonly wholeAt: number
}

/** Replaces the point of a team that is wrong, so that the next proof begins at its first row. */
export const nothingProven: ProvenPoint = { beforeId: '', costs: [], rows: 0, wholeAt: 0 }

export type ProvenPoints = {
  /** Only teams with rows that were summed from the first on in the last 24 hours. */
  readonly read: (now: number) => Promise<ReadonlyMap<string, ProvenPoint>>
  /** Takes some milliseconds of the writing thread. */
  readonly keep: (points: ReadonlyMap<string, ProvenPoint>) => Promise<void>
}

const prefix = 'proven/'
/** A row that was changed before the proven point is noticed after at most this long, by a proof from the first row on. */
const wholeMs = 24 * 3_600_000

export function openProvenPoints({
  read,
  write,
}: {
  readonly read: Pick<Store['read'], 'readFacts'>
  readonly write: Pick<Store['write'], 'replaceFacts'>
}): ProvenPoints {
  return {
    read: async now => {
      const facts = await read.readFacts({ prefix, since: now - wholeMs })
      return new Map(
        facts.map(({ name, value }) => [name.slice(prefix.length), JSON.parse(value) as ProvenPoint]),
      )
    },
    keep: points =>
      write.replaceFacts({
        facts: [...points].map(([teamId, point]) => ({
          name: `${prefix}${teamId}`,
          value: JSON.stringify(point),
          now: point.wholeAt,
        })),
      }),
  }
}
