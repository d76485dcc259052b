// What somebody types → what an entry must contain, and the patterns by which the database leaves out most of those that do not.
import { mostTerms } from '@fairgate/contracts/console/search.ts'
import { refuseValue } from '../../../directory/refusals.ts'

export type Term = {
  readonly text: string
  /** Upper and lower case count. */
  readonly isExact: boolean
}

export type Search = { readonly wanted: readonly Term[]; readonly unwanted: readonly Term[] }

/** A word, or what stands between quotation marks; each may have a minus sign in front. A mark that is not closed ends with the text. */
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
  if (search.wanted.length === 0) throw refuseValue('q', 'name at least one word that entries must contain.')
  if (terms.length > mostTerms) throw refuseValue('q', `${mostTerms} words are the most.`)
  return search
}

/** For SQL's `like … escape '!'`, on the JSON of an entry: what contains the text matches, in whatever case. Others may match too. */
export function buildPattern(text: string): string {
  const written = JSON.stringify(text).slice(1, -1)
  return `%${[...written].map(escapeCharacter).join('')}%`
}

/** As an entry names its student. */
export function buildStudentPattern(student: string): string {
  return `%"student":"${buildPattern(student).slice(1, -1)}"%`
}

/** SQLite's `like` knows the cases of ASCII letters alone: any character may stand in the place of another letter that has two. */
function escapeCharacter(character: string): string {
  if (character === '%' || character === '_' || character === '!') return `!${character}`
  const hasCases = character.toLowerCase() !== character.toUpperCase()
  return hasCases && character > '\u007f' ? '_' : character
}
