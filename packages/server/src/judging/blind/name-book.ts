// Finds the names that a blind judge must not see in any text, all in one pass, and replaces them.
import { hashWord, splitWords, type Words } from './split-words.ts'

/**
 * Where a name counts as one. A text that consists of the name alone always does.
 * - `anywhere`: with any case and separators.
 * - `spelled`: with its own separators.
 * - `capital`: in its own capitals, or after an @.
 * - `in_sentence`: the same, but not at the beginning of a sentence.
 * - `beside_team`: next to the word team.
 * - `behind_branch`: behind the word branch, or a command or path that takes one.
 * - `in_path`: next to a slash.
 * - `alone`: nowhere else.
 */
export type Standing =
  | 'anywhere'
  | 'spelled'
  | 'capital'
  | 'in_sentence'
  | 'beside_team'
  | 'behind_branch'
  | 'in_path'
  | 'alone'

/** What stands instead of a name. The first kinds win if a name is several things. */
export type Meaning =
  | { readonly kind: 'team'; readonly teamId: string }
  | { readonly kind: 'person'; readonly teamId: string; readonly letters: string }
  | { readonly kind: 'repository' | 'owner' | 'link' | 'user' | 'branch' | 'key' }

export type KnownName = {
  readonly text: string
  readonly standing: Standing
  readonly meaning: Meaning
}

type Node = {
  readonly next: Map<string, Node>
  readonly names: KnownName[]
  /** By the team whose text it is, for names that count everywhere. */
  readonly written: Map<string, string>
}

const ranks: Readonly<Record<Meaning['kind'], number>> = {
  team: 0,
  person: 1,
  repository: 2,
  owner: 3,
  link: 4,
  user: 5,
  branch: 6,
  key: 7,
}

/** Characters that may stand between two words of a name. */
const maxGap = 4
/** Longer names are found by their first words. */
const maxWords = 24
/** Parts of one word, such as of camelCase. */
const maxParts = 4

/** Folders of users: of Linux, macOS and Windows, also in addresses and in names of folders that tools make of paths. */
const homes: readonly (readonly [hint: string, pattern: RegExp])[] = [
  ['home/', /(?<![\w~])\/home\/[^\\/\s"'`:;,<>|*?()[\]{}%]+/g],
  [
    'Users',
    /(?:\b[A-Za-z]:|(?<![\w~])\/(?:mnt\/)?[a-z](?=[\\/]))?[\\/]{1,2}Users[\\/]{1,2}(?:[^\\/:*?"<>|\r\n]+(?=[\\/])|[^\\/:*?"'`<>|\s]+)/g,
  ],
  ['%2F', /%2F(?:home|Users)%2F[^%\s"'`\\/]+/gi],
  ['home-', /(?<![A-Za-z0-9])-home-[^-\\/\s"'`]+/g],
  ['Users-', /(?<![A-Za-z0-9])(?:[A-Za-z]-)?-Users-[^-\\/\s"'`]+/g],
]

export class NameBook {
  readonly #root = createNode()
  readonly #firsts = new Set<number>()
  readonly #write: (meaning: Meaning, viewed: string) => string

  /** `write`: what stands for a name in a text of the team `viewed`. Takes time by the size of the names. */
  constructor(names: Iterable<KnownName>, write: (meaning: Meaning, viewed: string) => string) {
    this.#write = write
    for (const name of names) this.#add(name)
  }

  #add(name: KnownName): void {
    const text = name.text.normalize('NFC')
    const words = splitWords(text)
    let node = this.#root
    for (let place = 0; place < Math.min(words.starts.length, maxWords); place += 1) {
      const form = words.formOf(place)
      if (place === 0) this.#firsts.add(hashWord(form))
      const next = node.next.get(form) ?? createNode()
      node.next.set(form, next)
      node = next
    }
    if (node === this.#root) return
    if (
      node.names.some(({ standing, meaning }) => standing === name.standing && isSame(meaning, name.meaning))
    )
      return
    node.names.push({ ...name, text })
  }

  /** Takes time by the length of the text: each word is looked up once, and behind one that begins a name at most 24 more. */
  cover(text: string, viewed: string): string {
    if (text === '') return text
    const composed = readEscapes(text).normalize('NFC')
    const plain = hideHomes(composed)
    const words = splitWords(plain)
    const parts: string[] = []
    let done = 0
    for (let place = 0; place < words.hashes.length; place += 1) {
      if (!this.#mayBegin(words, place)) continue
      const found = this.#find(plain, words, place, viewed)
      if (found === null) continue
      parts.push(plain.slice(done, words.starts[place] ?? 0), found.written)
      place = found.last
      done = words.ends[place] ?? done
    }
    if (parts.length > 0) return parts.join('') + plain.slice(done)
    return plain === composed ? text : plain
  }

  #mayBegin({ hashes, extendHash }: Words, first: number): boolean {
    let hash = hashes[first] ?? null
    for (let place = first + 1; hash !== null; place += 1) {
      if (this.#firsts.has(hash)) return true
      hash = place < first + maxParts ? extendHash(hash, place) : null
    }
    return false
  }

  /** The longest name that begins with this word, and counts as one here. */
  #find(
    text: string,
    words: Words,
    first: number,
    viewed: string,
  ): { readonly last: number; readonly written: string } | null {
    let found: { readonly last: number; readonly written: string } | null = null
    const walk = (node: Node, from: number) => {
      for (const { form, last } of readForms(words, from)) {
        const next = node.next.get(form)
        if (next === undefined) continue
        const written = this.#writeNode(next, viewed, name => stands(name, text, words, first, last))
        if (written !== null && last >= (found?.last ?? 0)) found = { last, written }
        const gap = (words.starts[last + 1] ?? Number.POSITIVE_INFINITY) - (words.ends[last] ?? 0)
        if (gap <= maxGap) walk(next, last + 1)
      }
    }
    walk(this.#root, first)
    return found
  }

  #writeNode(node: Node, viewed: string, counts: (name: KnownName) => boolean): string | null {
    const known = node.written.get(viewed)
    if (known !== undefined) return known
    const counting = node.names.filter(counts)
    if (counting.length === 0) return null
    const written = this.#choose(counting, viewed)
    if (node.names.every(({ standing }) => standing === 'anywhere')) node.written.set(viewed, written)
    return written
  }

  /** A name of several teams is that of the team whose text it is; if it is of several others, it is nobody's. */
  #choose(names: readonly KnownName[], viewed: string): string {
    const best = Math.min(...names.map(({ meaning }) => ranks[meaning.kind]))
    const own = names.filter(({ meaning }) => 'teamId' in meaning && meaning.teamId === viewed)
    const likely = own.length > 0 ? own : names.filter(({ meaning }) => ranks[meaning.kind] === best)
    const written = new Set(likely.map(({ meaning }) => this.#write(meaning, viewed)))
    const [first = ''] = written
    if (written.size === 1) return first
    return likely[0]?.meaning.kind === 'team' ? 'another team' : 'somebody'
  }
}

function createNode(): Node {
  return { next: new Map(), names: [], written: new Map() }
}

/** The word, and what it is together with the next ones that touch it: "PicklePress" is also "picklepress". */
function* readForms(
  { starts, formOf, extendHash }: Words,
  first: number,
): Generator<{ readonly form: string; readonly last: number }> {
  if (first >= starts.length) return
  let form = formOf(first)
  yield { form, last: first }
  for (let last = first + 1; last < first + maxParts && extendHash(0, last) !== null; last += 1) {
    form += formOf(last)
    yield { form, last }
  }
}

/** Letters that JSON as text or an address has as escapes. */
function readEscapes(text: string): string {
  const plain = text.includes('\\u')
    ? text.replaceAll(/(?:\\u[0-9a-f]{4}){1,1000}/gi, escapes => {
        const letters = String.fromCharCode(
          ...(escapes.match(/[0-9a-f]{4}/gi) ?? []).map(code => Number.parseInt(code, 16)),
        )
        return /^[\p{L}\p{M}]+$/u.test(letters) ? letters : escapes
      })
    : text
  if (!plain.includes('%')) return plain
  return plain.replaceAll(/(?:%[89a-f][0-9a-f])+/gi, escapes => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

function hideHomes(text: string): string {
  return homes.reduce(
    (plain, [hint, pattern]) => (plain.includes(hint) ? plain.replaceAll(pattern, '~') : plain),
    text,
  )
}

function isSame(one: Meaning, other: Meaning): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function stands(name: KnownName, text: string, words: Words, first: number, last: number): boolean {
  if (name.standing === 'anywhere') return true
  if (first === 0 && last === words.starts.length - 1) return true
  const start = words.starts[first] ?? 0
  const end = words.ends[last] ?? 0
  const spelled = text.slice(start, end)
  const before = text[start - 1] ?? ' '
  switch (name.standing) {
    case 'spelled':
      return spelled.toLowerCase() === name.text.toLowerCase()
    case 'capital':
      return before === '@' || isCapital(spelled, name.text)
    case 'in_sentence':
      return before === '@' || (isCapital(spelled, name.text) && !beginsSentence(text, start))
    case 'beside_team':
      return isTeam(words, first - 1) || isTeam(words, last + 1)
    case 'behind_branch':
      return branchWords.has(first === 0 ? '' : words.formOf(first - 1))
    case 'in_path':
      return /[\\/]/.test(before) || /[\\/]/.test(text[end] ?? ' ')
    case 'alone':
      return false
  }
}

/** As the name is spelled, which has a capital. */
function isCapital(spelled: string, name: string): boolean {
  return spelled === name && name !== name.toLowerCase()
}

function beginsSentence(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 8), start).trimEnd()
  return (
    before === '' ||
    /[.!?:;>*#|("'“‘•-]$/.test(before) ||
    /\n\s*$/.test(text.slice(Math.max(0, start - 8), start))
  )
}

const teamWords: ReadonlySet<string> = new Set(['team', 'group', 'squad', 'crew'])

function isTeam(words: Words, place: number): boolean {
  return place >= 0 && place < words.starts.length && teamWords.has(words.formOf(place))
}

const branchWords: ReadonlySet<string> = new Set(
  'branch branches checkout switch heads origin remotes merge rebase merged b c into on'.split(' '),
)
