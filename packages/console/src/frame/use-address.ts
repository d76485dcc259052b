// What stands behind the `?` of the address shown, and a way to change a part of it.
import { useNavigate, useSearch } from '@tanstack/react-router'

type Texts = Readonly<Record<string, string | undefined>>

/** `isStep`: Back leads to what was shown before; else the change takes its place. */
export function useAddress(): {
  readonly search: Texts
  readonly change: (changes: Texts, isStep?: boolean) => void
} {
  const search = useSearch({ strict: false }) as Texts
  const navigate = useNavigate()
  return {
    search,
    change: (changes, isStep = false) => {
      void navigate({
        to: '.',
        search: ((now: Texts) => ({ ...now, ...changes })) as never,
        replace: !isStep,
        resetScroll: false,
      })
    },
  }
}
