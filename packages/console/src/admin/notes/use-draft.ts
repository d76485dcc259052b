// Keeps what was typed and not sent yet, over a reload and over an error.
import { useState } from 'react'

/** `name` says what the text is about; each has its own draft in this browser. */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const key = `fairgate-draft:${name}`
  const [draft, setDraft] = useState({ key, text: localStorage.getItem(key) ?? '' })
  // Another thing is shown at the same place: its own draft counts.
  const text = draft.key === key ? draft.text : (localStorage.getItem(key) ?? '')
  return [
    text,
    next => {
      setDraft({ key, text: next })
      if (next === '') localStorage.removeItem(key)
      else localStorage.setItem(key, next)
    },
  ]
}
