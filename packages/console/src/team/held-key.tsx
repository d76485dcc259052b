// Holds the key that was typed or created in this tab. It stays in memory and is only used to copy snippets.
import { createContext, useContext } from 'react'

export type HeldKey = {
  /** Null if this tab holds no key. */
  readonly key: string | null
  readonly hold: (key: string) => void
}

export const HeldKeyContext = createContext<HeldKey | null>(null)

export function useHeldKey(): HeldKey {
  const held = useContext(HeldKeyContext)
  if (held === null) throw new Error('This component must be inside a team page.')
  return held
}
