// Validates the text of a note before it is sent.
import { countOf, formatCount } from '../../../format/number.ts'

/** Max length that the route accepts, in code points. */
export const longestNote = 4000

/** Returns the error message, or null if the note is valid. */
export function checkNote(text: string): string | null {
  const length = [...text.trim()].length
  if (length === 0) return 'Enter a note'
  if (length > longestNote)
    return `A note can have at most ${formatCount(longestNote)} characters. Shorten it by ${countOf(length - longestNote, 'character')}.`
  return null
}
