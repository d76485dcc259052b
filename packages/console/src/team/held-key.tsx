// The key that was typed into this tab: it is kept in memory alone, and only for copying it into a snippet.
import { createContext, useContext } from 'react'

export const HeldKeyContext = createContext<string | null>(null)

export function useHeldKey(): string | null {
  return useContext(HeldKeyContext)
}
