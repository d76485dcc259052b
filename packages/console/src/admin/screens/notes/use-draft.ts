// Form text that this browser keeps until it is saved.
import { useState } from 'react'
import { useSession } from '../../session-context.tsx'
import { keepDraft, nameDraft, readDraft } from './drafts.ts'

/** `thing` must not change while the form is shown; another subject needs another form. `forget` leaves the text in the field. */
export function useDraft(
  thing: readonly (string | number)[],
  first = '',
): { readonly text: string; readonly write: (text: string) => void; readonly forget: () => void } {
  const { name: owner } = useSession()
  const name = nameDraft(owner, thing)
  const [text, setText] = useState(() => readDraft(localStorage, name) ?? first)
  return {
    text,
    write: next => {
      setText(next)
      keepDraft(localStorage, name, next === first ? null : next)
    },
    forget: () => keepDraft(localStorage, name, null),
  }
}

/** True if there is an unsaved draft. */
export function useHasDraft(thing: readonly (string | number)[]): boolean {
  const { name: owner } = useSession()
  const [has] = useState(() => readDraft(localStorage, nameDraft(owner, thing)) !== null)
  return has
}
