// Shortens a large entry for a list: its texts and lists are cut, short members stay as they are.
import { entryMembers } from '@fairgate/contracts/logbook/entry-members.ts'

/** Max text length in code points, max members of a list or object: the first pair that is enough is used. */
const cuts = [
  { text: 1000, members: 60 },
  { text: 300, members: 40 },
  { text: 100, members: 25 },
  { text: 30, members: 12 },
] as const
const deepest = 4

const wordy: ReadonlySet<string> = new Set(['tool_input', 'tool_response', 'tool_error', 'response_summary'])

/** The members that identify an entry, if it has so many that only these are kept. */
const namingMembers: ReadonlySet<string> = new Set(['ts', ...entryMembers.filter(name => !wordy.has(name))])

/** `body`: the JSON of an entry. `isCut`: something is missing or shortened. */
export function cutEntry(
  body: string,
  bodyBytes: number,
  maxBytes: number,
): { readonly entry: object; readonly isCut: boolean } {
  const entry: object = JSON.parse(body)
  if (bodyBytes <= maxBytes) return { entry, isCut: false }
  for (const cut of cuts) {
    const short = cutValue(entry, cut, 1)
    if (Buffer.byteLength(JSON.stringify(short)) <= maxBytes) return { entry: Object(short), isCut: true }
  }
  const texts = Object.entries(entry)
    .filter(([name, value]) => namingMembers.has(name) && typeof value === 'string')
    .map(([name, value]) => [name, firstCharacters(String(value), 30)])
  return { entry: Object.fromEntries(texts), isCut: true }
}

function cutValue(value: unknown, cut: (typeof cuts)[number], depth: number): unknown {
  if (typeof value === 'string') return firstCharacters(value, cut.text)
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) return Array.isArray(value) ? [] : {}
  if (Array.isArray(value)) return value.slice(0, cut.members).map(member => cutValue(member, cut, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      // A name may be as long as a text.
      .filter(([name]) => name.length <= cut.text)
      .slice(0, cut.members)
      .map(([name, member]) => [name, cutValue(member, cut, depth + 1)]),
  )
}

/** Cuts at whole code points. */
function firstCharacters(text: string, most: number): string {
  return text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join('')
}
