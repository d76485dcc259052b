// Reports whether the window is narrower than a width, for parts whose content differs there, not only their style.
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
