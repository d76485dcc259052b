// Keeps memory and disk the same when the answer to a change was lost: what the disk has is read before anything else is done.
import type { SerialQueue } from './serial-queue.ts'

export type InStep = {
  /** Runs a command in turn. After one that failed in the store the next one first waits for memory to be put right. */
  readonly inTurn: SerialQueue
  /** Puts memory right, if that is needed; for when the store can be used again. */
  readonly catchUp: () => Promise<void>
}

/**
 * `isUncertain` tells of an error whether the change may have been made all the same. `reload` reads what was, and rejects when
 * that cannot be done yet.
 */
export function keepInStep(
  inTurn: SerialQueue,
  isUncertain: (error: unknown) => boolean,
  reload: () => Promise<void>,
): InStep {
  let isBehind = false
  const reloadIfBehind = async () => {
    if (!isBehind) return
    await reload()
    isBehind = false
  }
  return {
    inTurn: task =>
      inTurn(async () => {
        await reloadIfBehind()
        try {
          return await task()
        } catch (error) {
          if (isUncertain(error)) {
            isBehind = true
            // A lost connection is soon replaced; else the next command or the recovery does it.
            await reloadIfBehind().catch(() => undefined)
          }
          throw error
        }
      }),
    catchUp: () => inTurn(reloadIfBehind),
  }
}
