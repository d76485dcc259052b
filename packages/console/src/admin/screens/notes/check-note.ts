// Says what is wrong with the text of a note before the server has to.
import { countOf, formatCount } from '../../../format/number.ts'

/** As the route takes it, in code points. */
export const longestNote = 4000

/** Null where nothing is wrong. */
export function checkNote(text: string): string | null {
  const length = [...text.trim()].length
  if (length === 0) return 'A note needs a text.'
  if (length > longestNote)
    return `A note has ${formatCount(longestNote)} characters at most. Shorten it by ${countOf(length - longestNote, 'character')}.`
  return null
}
