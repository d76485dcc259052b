// An event of made-up teams whose entries of all six tools and submissions mention names of any team, in random places and forms.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HandInBody } from '@fairgate/contracts/console/submissions.ts'

export type FuzzedPerson = {
  readonly name: string
  readonly email: string
  /** Of the laptop. */
  readonly user: string
  readonly keyAlias: string
}

export type FuzzedTeam = {
  readonly teamId: string
  readonly alias: string
  readonly people: readonly FuzzedPerson[]
  /** Works with them, and is no member. */
  readonly guest: string
  readonly owner: string
  readonly repository: string
  readonly branch: string
  readonly demoUrl: string
}

export type Random = () => number

/** mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const pick = <Item>(random: Random, items: readonly [Item, ...Item[]] | readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}

/** Words that no text of the product has. */
function createWords(random: Random): () => string {
  const seen = new Set<string>()
  const syllables = [
    'zor',
    'vak',
    'quil',
    'jex',
    'brû',
    'ñal',
    'myx',
    'fjo',
    'wuz',
    'gorp',
    'klee',
    'dziv',
    'хор',
    'šed',
  ]
  return () => {
    for (;;) {
      const word = Array.from({ length: 3 }, () => pick(random, syllables)).join('')
      // A word of two scripts is none that anybody is called.
      if (seen.has(word) || (/[а-я]/.test(word) && /[a-z]/.test(word))) continue
      seen.add(word)
      return word
    }
  }
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const plain = (word: string) =>
  word
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z]/g, 'o')
const korean = [
  '김하율',
  '박서쥰',
  '이도겸',
  '최윤솔',
  '정해람',
  '한별빛',
  '강노을',
  '윤바다',
  '임새봄',
  '오누리',
] as const

export function inventTeams(random: Random, count: number): FuzzedTeam[] {
  const word = createWords(random)
  const ascii = () => plain(word())
  return Array.from({ length: count }, (_, at): FuzzedTeam => {
    const people = Array.from({ length: 3 }, (_person, place): FuzzedPerson => {
      const name =
        place === 2 ? (korean[at % korean.length] ?? korean[0]) : `${capital(word())} ${capital(word())}`
      return {
        name,
        email: `${ascii()}.${ascii()}@${ascii()}.example`,
        user: ascii(),
        keyAlias: `${ascii()}-${ascii()}`,
      }
    })
    return {
      teamId: `${ascii()}-${ascii()}`,
      alias: `${capital(word())} ${capital(word())}`,
      people,
      guest: `${ascii()}@${ascii()}.example`,
      owner: ascii(),
      repository: `${ascii()}-${ascii()}`,
      branch: `${ascii()}/${ascii()}`,
      demoUrl: `https://${ascii()}-${ascii()}.example/${ascii()}`,
    }
  })
}

/** Everything that tells who a team is. */
export function listSecrets(team: FuzzedTeam): string[] {
  const { teamId, alias, people, guest, owner, repository, branch, demoUrl } = team
  const texts = [teamId, alias, guest, owner, repository, branch, new URL(demoUrl).host]
  const own = people.flatMap(({ name, email, user, keyAlias }) => [
    ...[name, ...name.split(' '), email, user, keyAlias],
  ])
  return [...texts, ...own].flatMap(text => [text, ...text.split('@').slice(0, 1)])
}

const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1)
const escapeLetters = (text: string) =>
  text.replaceAll(/[^\u0000-\u007f]/g, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
const words = (text: string) => text.split(/[\s._/@-]+/)

/** Ways to write a name. */
const forms: readonly ((text: string, random: Random) => string)[] = [
  text => text,
  text => text.toLowerCase(),
  text => text.toUpperCase(),
  text => text.normalize('NFD'),
  text => text.replaceAll(/[!-~]/g, letter => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  text => words(text).map(capital).join(''),
  text => `get${words(text).map(capital).join('')}Name`,
  text => words(text).join('_'),
  text => words(text).join('-'),
  text => words(text).join('  '),
  text => words(text).join('').toLowerCase(),
  text => `https://x.example/${encodeURIComponent(text)}?q=1`,
  text => `"${escapeJson(`{"out":"a\n${text}\t${text}"}`)}"`,
  text => escapeLetters(text),
  text => `\u001b[31m${text}\u001b[0m`,
  text => `<b>${text}</b>,${text};(${text})`,
  text => `\n${text}\n`,
  (text, random) => {
    const at = Math.floor(random() * text.length)
    return `${text.slice(0, at)}\u00ad${text.slice(at)}`
  },
  text => `team=${text}&x`,
  text => `**${text}**'s`,
  text => text.split(' ').toReversed().join(', '),
]

/** A sentence with some names. */
export function writeText(random: Random, teams: readonly FuzzedTeam[]): string {
  const named = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const team = pick(random, teams)
    const person = pick(random, team.people)
    const user = pick(random, [
      `/home/${person.user}/`,
      `/Users/${person.user}/`,
      `C:\\Users\\${person.user}\\`,
    ])
    const paths = [`${user}${team.repository}/a.ts`, `git@host.example:${team.owner}/${team.repository}.git`]
    const text = pick(random, [...listSecrets(team), ...paths])
    return paths.includes(text) ? text : pick(random, forms)(text, random)
  })
  const fill = () =>
    pick(random, ['please fix the parser', 'thanks to', 'see', '한국어도', 'const value =', 'and'])
  return named.map(text => `${fill()} ${text}`).join(' ')
}

const tools = ['claude', 'cursor', 'codex', 'gemini', 'copilot', 'antigravity'] as const
type Fields = Readonly<Record<string, unknown>>

/** What a tool's events look like when its recorder has read them, from the recorder's own fixtures. */
function readShapes(tool: string): [event: string, fields: Fields][] {
  const path = join(import.meta.dir, `../../../recorder/src/tools/${tool}/__fixtures__/expected.json`)
  return Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, Fields>>)
}

const ownIds: ReadonlySet<string> = new Set(['ts', 'session_id', 'model', 'tool_name', 'recorder'])

function fuzz(value: unknown, write: () => string): unknown {
  if (typeof value === 'string') return write()
  if (Array.isArray(value)) return value.map(item => fuzz(item, write))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, item]) => [name, fuzz(item, write)])
  return Object.fromEntries([...members, [write().slice(0, 200), { nested: [write()] }]])
}

/** Entries of a person with all six tools: each tool is one session, and one of these has a name in its id. */
export function inventEntries(
  random: Random,
  teams: readonly FuzzedTeam[],
  team: FuzzedTeam,
  person: FuzzedPerson,
  now: number,
): object[] {
  const write = () => writeText(random, teams)
  return tools.flatMap((tool, place) => {
    const id = place === 0 ? `run of ${person.user}` : crypto.randomUUID()
    return readShapes(tool).map(([event, fields], at) => ({
      ...Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, ownIds.has(name) ? value : fuzz(value, write)]),
      ),
      ...{
        tool,
        event,
        session_id: id,
        ts: new Date(now - 3_600_000 + place * 60_000 + at * 1000).toISOString(),
      },
      ...{ repo: team.repository, branch: team.branch, commit: 'abc1234' },
      student: at === 1 ? team.guest : person.email,
      cwd: `/home/${person.user}/work`,
      [`note_${person.user}`]: write(),
    }))
  })
}

export function inventSubmission(random: Random, teams: readonly FuzzedTeam[], team: FuzzedTeam): HandInBody {
  const write = () => writeText(random, teams)
  return {
    title: write().replaceAll(/\s+/g, ' ').slice(0, 100),
    summary: `${write()}\n${write()}`,
    disclosure: write(),
    repository: `https://host.example/${team.owner}/${team.repository}`,
    commit: 'abc1234',
    demo_url: team.demoUrl,
    video_url: `${team.demoUrl}/video`,
    based_on: 0,
    files: [],
  }
}
