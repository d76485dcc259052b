// Carries the news that the session has ended from the requests to the page.

const listeners = new Set<() => void>()

export const signedOut = {
  tell: (): void => {
    for (const listener of listeners) listener()
  },
  hear: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
