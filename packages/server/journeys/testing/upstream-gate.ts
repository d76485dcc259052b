// Holds back the sandbox's replies until an event that the journey waits for, because no delay is long enough on every machine.

export type UpstreamGate = {
  /** The wait of the sandbox: this many milliseconds, or until the gate is open again. */
  readonly wait: (milliseconds: number) => Promise<void>
  /** From now on replies with a delay wait, however short it is, until the returned function is called. */
  readonly hold: () => () => void
}

export function createUpstreamGate(): UpstreamGate {
  let shut: Promise<void> | null = null
  return {
    wait: async milliseconds => {
      await (shut ?? Bun.sleep(milliseconds))
    },
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      shut = promise
      return () => {
        if (shut === promise) shut = null
        resolve()
      }
    },
  }
}
