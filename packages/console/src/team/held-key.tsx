// The key that was typed or made in this tab: it is kept in memory alone, and only for copying it into a snippet.
import { createContext, useContext } from 'react'

export type HeldKey = {
  /** Null: this tab knows no key. */
  readonly key: string | null
  readonly hold: (key: string) => void
}

export const HeldKeyContext = createContext<HeldKey | null>(null)

export function useHeldKey(): HeldKey {
  const held = useContext(HeldKeyContext)
  if (held === null) throw new Error('This part stands outside of a team page.')
  return held
}
