// Reports whether the window is narrower than a width, for parts that have other content there, not only another style.
import { useSyncExternalStore } from 'react'

export function useNarrow(below = 768): boolean {
  const query = `(max-width: ${below - 1}px)`
  return useSyncExternalStore(
    reported => {
      const list = matchMedia(query)
      list.addEventListener('change', reported)
      return () => list.removeEventListener('change', reported)
    },
    () => matchMedia(query).matches,
  )
}
