// Matches an entry against a search and finds the places. It compares the texts of its members as people read them, not its JSON.
import { excerptSide, type SearchHit } from '@fairgate/contracts/console/search.ts'
import type { Search, Term } from './parse-search.ts'

export type Match = Pick<SearchHit, 'member' | 'excerpt' | 'ranges' | 'is_cut'>

type Text = { readonly member: string; readonly text: string }

/** Members in order of preference: a match in these is shown before one in other members. */
const order = ['prompt', 'response_summary', 'tool_input', 'tool_response', 'tool_error', 'tool_name']
/** Members that every entry has and no one searches for. */
const unsearched: ReadonlySet<string> = new Set(['ts', 'recorder'])

/** Null if the entry does not match. */
export function matchEntry(
  entry: Readonly<Record<string, unknown>>,
  { wanted, unwanted }: Search,
): Match | null {
  const texts = Object.entries(entry)
    .filter(([member]) => !unsearched.has(member))
    .sort(([left], [right]) => rankOf(left) - rankOf(right))
    .flatMap(([member, value]) => listTexts(value).map(text => ({ member, text })))
  const isIn = (term: Term) => texts.some(({ text }) => findTerm(text, term, 0) >= 0)
  if (!wanted.every(isIn) || unwanted.some(isIn)) return null
  for (const text of texts) {
    const first = firstOf(text.text, wanted)
    if (first !== null) return showMatch(text, first, wanted)
  }
  return null
}

function rankOf(member: string): number {
  const rank = order.indexOf(member)
  return rank < 0 ? order.length : rank
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(listTexts)
}

type Found = { readonly start: number; readonly end: number }

/** Returns the earliest place of any term. */
function firstOf(text: string, terms: readonly Term[]): Found | null {
  const found = terms
    .map(term => ({ start: findTerm(text, term, 0), length: term.text.length }))
    .filter(({ start }) => start >= 0)
    .sort((left, right) => left.start - right.start || right.length - left.length)[0]
  return found === undefined ? null : { start: found.start, end: found.start + found.length }
}

function findTerm(text: string, { text: wanted, isExact }: Term, from: number): number {
  return isExact ? text.indexOf(wanted, from) : foldCase(text).indexOf(foldCase(wanted), from)
}

/** Lower case without moving any character: characters that would become longer stay unchanged. */
function foldCase(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return [...text]
    .map(character =>
      character.toLowerCase().length === character.length ? character.toLowerCase() : character,
    )
    .join('')
}

function showMatch({ member, text }: Text, { start, end }: Found, terms: readonly Term[]): Match {
  // A code point has at most two units. One that is cut in half is beyond those that are kept.
  const before = [...text.slice(Math.max(0, start - 2 * excerptSide - 1), start)].slice(-excerptSide).join('')
  const after = [...text.slice(end, end + 2 * excerptSide + 1)].slice(0, excerptSide).join('')
  const excerpt = `${before}${text.slice(start, end)}${after}`
  return {
    member,
    excerpt,
    is_cut: { start: before.length < start, end: end + after.length < text.length },
    ranges: findRanges(excerpt, terms),
  }
}

/** Returns the places in code points, in order; places that touch or overlap are merged. */
function findRanges(text: string, terms: readonly Term[]): [number, number][] {
  const found = terms.flatMap(term => {
    const places: Found[] = []
    for (let start = findTerm(text, term, 0); start >= 0; ) {
      const end = start + term.text.length
      places.push({ start, end })
      start = findTerm(text, term, end)
    }
    return places
  })
  const merged: Found[] = []
  for (const place of found.sort((left, right) => left.start - right.start)) {
    const last = merged.at(-1)
    if (last === undefined || place.start > last.end) merged.push(place)
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, place.end) }
  }
  const points = (units: number) => [...text.slice(0, units)].length
  return merged.map(({ start, end }) => [points(start), points(end)])
}
