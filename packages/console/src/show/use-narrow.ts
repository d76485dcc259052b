// Whether the window is narrower than a width: for parts that are built otherwise there, not only styled.
import { useSyncExternalStore } from 'react'

export function useNarrow(below = 768): boolean {
  const query = `(max-width: ${below - 1}px)`
  return useSyncExternalStore(
    told => {
      const list = matchMedia(query)
      list.addEventListener('change', told)
      return () => list.removeEventListener('change', told)
    },
    () => matchMedia(query).matches,
  )
}
