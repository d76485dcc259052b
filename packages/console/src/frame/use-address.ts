// What stands behind the `?` of the address shown, and a way to change a part of it.
import { useNavigate, useSearch } from '@tanstack/react-router'

type Texts = Readonly<Record<string, string | undefined>>

/** `isStep`: Back leads to what was shown before; else the change takes its place. `set` is such a step, and `clear` takes all away. */
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
