// Event bus that reports the end of the session from requests to the page.

const listeners = new Set<() => void>()

export const signedOut = {
  report: (): void => {
    for (const listener of listeners) listener()
  },
  hear: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
