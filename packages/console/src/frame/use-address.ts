// Reads the query of the current address, and changes parts of it.
import { useNavigate, useSearch } from '@tanstack/react-router'

type Texts = Readonly<Record<string, string | undefined>>

/** `isStep`: adds a history entry, so that Back undoes the change; otherwise replaces the current one. `set` and `clear` add one. */
export function useAddress(): {
  readonly search: Texts
  readonly change: (changes: Texts, isStep?: boolean) => void
  readonly set: (changes: Texts) => void
  readonly clear: () => void
} {
  const search = useSearch({ strict: false }) as Texts
  const navigate = useNavigate()
  const go = (next: (now: Texts) => Texts, isStep: boolean) =>
    void navigate({ to: '.', search: next as never, replace: !isStep, resetScroll: false })
  return {
    search,
    change: (changes, isStep = false) => go(now => ({ ...now, ...changes }), isStep),
    set: changes => go(now => ({ ...now, ...changes }), true),
    clear: () => go(() => ({}), true),
  }
}
