// Parses a search text into terms, and builds the SQL patterns by which the database excludes most entries that do not match.
import { maxTerms } from '@fairgate/contracts/console/search.ts'
import { refuseValue } from '../../../directory/refusals.ts'

export type Term = {
  readonly text: string
  /** Case-sensitive. */
  readonly isExact: boolean
}

export type Search = { readonly wanted: readonly Term[]; readonly unwanted: readonly Term[] }

/** A word or a quoted text, each with an optional minus sign in front. An unclosed quotation mark ends with the text. */
const part = /(-?)(?:"([^"]*)"?|(\S+))/gu

/** Throws ApiError `invalid_request`. */
export function parseSearch(text: string): Search {
  const terms = [...text.matchAll(part)]
    .map(([, minus, exact, word = '']) => ({
      isWanted: minus === '',
      term: { text: exact ?? word, isExact: exact !== undefined },
    }))
    .filter(({ term }) => term.text !== '')
  const of = (isWanted: boolean) => terms.filter(one => one.isWanted === isWanted).map(({ term }) => term)
  const search = { wanted: of(true), unwanted: of(false) }
  if (search.wanted.length === 0) throw refuseValue('q', 'give at least one word that entries must contain.')
  if (terms.length > maxTerms) throw refuseValue('q', `at most ${maxTerms} words are allowed.`)
  return search
}

/** Pattern for SQL's `like … escape '!'` on the JSON of an entry. All entries that contain the text match, in any case. Others may match too. */
export function buildPattern(text: string): string {
  const written = JSON.stringify(text).slice(1, -1)
  return `%${[...written].map(escapeCharacter).join('')}%`
}

/** Pattern for entries with this text as their `student` member. */
export function buildStudentPattern(student: string): string {
  return `%"student":"${buildPattern(student).slice(1, -1)}"%`
}

/** SQLite's `like` only folds the case of ASCII letters, so any other letter that has two cases becomes a wildcard. */
function escapeCharacter(character: string): string {
  if (character === '%' || character === '_' || character === '!') return `!${character}`
  const hasCases = character.toLowerCase() !== character.toUpperCase()
  return hasCases && character > '\u007f' ? '_' : character
}
