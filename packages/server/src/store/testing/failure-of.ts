// Awaits a promise that must fail, because Bun's `rejects` blocks the thread that a store's workers answer to.

/** The error; throws if there is none. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (outcome instanceof Error) return outcome
  throw new Error('The promise did not reject with an Error.')
}
