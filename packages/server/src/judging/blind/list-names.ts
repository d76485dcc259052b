// Lists everything that names a team or its people, and where each of these names counts as one.
import type { NamesInLog } from '../../record/log-names.ts'
import { commonWords, trunkBranches } from './common-words.ts'
import type { KnownName, Meaning, Standing } from './name-book.ts'
import { splitWords } from './split-words.ts'

export type NamedPerson = {
  /** "B" for Person B. */
  readonly letters: string
  readonly name: string | null
  readonly email: string | null
}

/** What the server knows of one team. */
export type NamedTeam = {
  readonly teamId: string
  readonly alias: string
  readonly people: readonly NamedPerson[]
  /** Names of keys and log tokens. */
  readonly keys: readonly string[]
  readonly inLog: Omit<NamesInLog, 'students'>
  /** Of what it has handed in. */
  readonly repositories: readonly string[]
  readonly links: readonly string[]
}

/** Parts of names that name nobody. */
const particles: ReadonlySet<string> = new Set(
  'al and bin da de del della der di dos du el ibn jr la le mc of san st the van von y'.split(' '),
)
/** Accounts that many machines have. */
const usualUsers: ReadonlySet<string> = new Set(
  'administrator codespace default gitpod jovyan me pi public runneradmin runner shared sandbox vscode'.split(
    ' ',
  ),
)

/** Takes time by the size of what is known. */
export function listNames(team: NamedTeam): KnownName[] {
  const { teamId, inLog } = team
  const names = [
    ...listTeamNames(team.teamId, teamId),
    ...listTeamNames(team.alias, teamId),
    ...team.people.flatMap(person => listPersonNames(teamId, person)),
    ...[...inLog.repositories, ...team.repositories].flatMap(listRepositoryNames),
    ...team.links.flatMap(listLinkNames),
    ...inLog.users.filter(user => !usualUsers.has(user.toLowerCase())).flatMap(listUserNames),
    ...inLog.branches
      .filter(branch => !trunkBranches.has(branch.toLowerCase()))
      .map(text => name(text, { kind: 'branch' }, isDistinct(text, 2) ? 'anywhere' : 'behind_branch')),
    ...team.keys.map(text => name(text, { kind: 'key' }, standingOfKey(text))),
  ]
  // Whatever is hidden in any form is also written as one word.
  return names.flatMap(known => [
    known,
    ...(known.standing === 'anywhere' ? joinWords(listWords(known.text)) : []).map(text => ({
      ...known,
      text,
    })),
  ])
}

function listTeamNames(text: string, teamId: string): KnownName[] {
  const meaning: Meaning = { kind: 'team', teamId }
  const words = listWords(text)
  const own = words.filter(word => !teamWords.has(word))
  const core = own.join(' ')
  return [
    name(text, meaning, words.length > 1 || isRare(text) ? 'anywhere' : 'beside_team'),
    ...joinWords(own).flatMap(joined => [name(`team${joined}`, meaning, 'anywhere')]),
    // "Team Kimchi" is also "Kimchi", and "Kimchi team".
    ...(own.length === 0 || own.length === words.length || /^\d+$/.test(core)
      ? []
      : [name(core, meaning, own.length > 1 || isRare(core) ? 'anywhere' : 'beside_team')]),
  ]
}

function listPersonNames(teamId: string, { letters, name: whole, email }: NamedPerson): KnownName[] {
  const meaning: Meaning = { kind: 'person', teamId, letters }
  const names = whole === null ? [] : listFullNames(whole, meaning)
  if (email === null) return names
  const local = email.split('@')[0] ?? ''
  return [
    ...names,
    name(email, meaning, 'anywhere'),
    ...(listWords(local).length > 1 || isRare(local) ? [name(local, meaning, 'anywhere')] : []),
  ]
}

function listFullNames(whole: string, meaning: Meaning): KnownName[] {
  const parts = whole.split(/[\s,]+/).filter(part => listWords(part).length > 0)
  const reversed = parts.toReversed()
  const [first = ''] = parts
  const last = parts.at(-1) ?? ''
  const orders = [
    parts,
    reversed,
    ...(parts.length > 2
      ? [
          [first, last],
          [last, first],
        ]
      : []),
  ]
  return [
    ...orders.map(order =>
      name(order.join(' '), meaning, parts.length > 1 ? 'anywhere' : standingOfPart(whole)),
    ),
    ...parts
      .filter(part => [...part].length > 1 && !particles.has(part.toLowerCase()))
      .map(part => name(part, meaning, standingOfPart(part))),
  ]
}

/** Of one word of a person's name. */
function standingOfPart(part: string): Standing {
  if (isRare(part)) return 'anywhere'
  return commonWords.has(listWords(part).join('')) ? 'in_sentence' : 'capital'
}

/** An address, "owner/name", or a name. */
function listRepositoryNames(text: string): KnownName[] {
  const path = text
    .replace(/^[a-z+]+:\/\/(?:[^@/]*@)?[^/]*\//i, '')
    .replace(/^[\w.-]+@[\w.-]+:/, '')
    .replace(/\.git$/i, '')
    .replace(/\/+$/, '')
  const parts = path.split('/').filter(part => part !== '')
  const [owner = ''] = parts
  const own = parts[parts.length > 1 ? 1 : 0] ?? ''
  const repository: Meaning = { kind: 'repository' }
  return [
    name(text.replace(/\.git$/i, ''), repository, parts.length > 1 ? 'anywhere' : standingOfRepository(text)),
    ...(parts.length > 1
      ? [
          name(path, repository, 'anywhere'),
          name(own, repository, standingOfRepository(own)),
          name(owner, { kind: 'owner' }, standingOfRepository(owner)),
        ]
      : []),
  ]
}

/** An address, and its host if that is the team's own. */
function listLinkNames(text: string): KnownName[] {
  const host = URL.parse(text)?.hostname.replace(/^www\./, '') ?? ''
  const isOwn = host !== '' && !sharedHosts.test(host) && isRare(host)
  return [text, ...(isOwn ? [host] : [])].map(own => name(own, { kind: 'link' }, 'anywhere'))
}

const sharedHosts =
  /(?:^|\.)(?:youtube|youtube-nocookie|youtu|vimeo|loom|twitch|github|gitlab|bitbucket|codeberg|google|figma|notion|canva|dropbox|huggingface|onedrive|sharepoint|instagram|tiktok|twitter|x)\.[a-z]{2,4}$/

function standingOfRepository(text: string): Standing {
  if (isRare(text)) return 'anywhere'
  return listWords(text).length > 1 ? 'spelled' : 'in_path'
}

function standingOfKey(text: string): Standing {
  if (isDistinct(text, 2)) return 'anywhere'
  return listWords(text).length > 1 ? 'spelled' : 'alone'
}

function listUserNames(user: string): KnownName[] {
  return isRare(user) ? [name(user, { kind: 'user' }, 'anywhere')] : []
}

const name = (text: string, meaning: Meaning, standing: Standing): KnownName => ({ text, standing, meaning })

const teamWords: ReadonlySet<string> = new Set(['the', 'team', 'group', 'squad'])

function listWords(text: string): string[] {
  const words = splitWords(text.normalize('NFC'))
  return words.starts.map((_, place) => words.formOf(place))
}

/** Written as one word, if that is long enough not to be another one. */
function joinWords(words: readonly string[]): string[] {
  const joined = words.join('')
  return words.length > 1 && joined.length >= 5 && !/^[a-z]*\d+$/.test(joined) && !commonWords.has(joined)
    ? [joined]
    : []
}

/** True if the text is unlikely to stand for anything else: it has a word of four letters or more that is not common, or two characters of a dense script. */
function isRare(text: string): boolean {
  const words = listWords(text)
  const letters = words.filter(word => !/^\d/.test(word))
  if (letters.length > 1 && letters.every(word => [...word].length === 1)) return true
  return letters.some(word => word.length >= 4 && !commonWords.has(word))
}

/** True if it has at least this many words, one of which is rare. */
function isDistinct(text: string, fewest: number): boolean {
  return listWords(text).length >= fewest && isRare(text)
}
