// Bytes that many calls may hold in memory together: whoever asks for more than is left gets none.

export type ByteBudget = {
  /** False when that many are not left; nothing is taken then. */
  readonly take: (bytes: number) => boolean
  readonly give: (bytes: number) => void
  /** Bytes that are taken. */
  readonly taken: () => number
}

export function createByteBudget(total: number): ByteBudget {
  let taken = 0
  return Object.freeze({
    take: (bytes: number): boolean => {
      if (taken + bytes > total) return false
      taken += bytes
      return true
    },
    give: (bytes: number): void => {
      taken -= bytes
    },
    taken: () => taken,
  })
}
