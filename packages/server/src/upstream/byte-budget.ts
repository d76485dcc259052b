// Bytes that many calls may hold in memory together: whoever asks for more than is left gets none.

export type ByteBudget = ReturnType<typeof createByteBudget>

export function createByteBudget(total: number) {
  let taken = 0
  let given = Promise.withResolvers<void>()
  return Object.freeze({
    /** False when that many are not left; nothing is taken then. */
    take: (bytes: number): boolean => {
      if (taken + bytes > total) return false
      taken += bytes
      return true
    },
    give: (bytes: number): void => {
      taken -= bytes
      if (bytes === 0) return
      given.resolve()
      given = Promise.withResolvers()
    },
    /** Resolves when something is given back next. */
    whenGiven: () => given.promise,
    /** Bytes that are taken. */
    taken: () => taken,
  })
}
