// How judges know the teams if judging is blind: by numbers and letters.
import { createHmac } from 'node:crypto'
import type { Directory } from '../../directory/create-directory.ts'
import type { Disguise } from '../disguise.ts'
import { isJudged } from '../list-judged.ts'
import { trunkBranches } from './common-words.ts'
import type { Meaning, NameBook } from './name-book.ts'
import type { PeopleNames } from './name-people.ts'

export type BlindGiven = {
  readonly directory: Pick<Directory, 'findTeam'>
  /** By team id. */
  readonly numbers: ReadonlyMap<string, number>
  readonly people: PeopleNames
  readonly book: () => NameBook
  /** See `deriveNumbersKey`. */
  readonly key: Uint8Array
}

export function createBlindDisguise({ directory, numbers, people, book, key }: BlindGiven): Disguise {
  const isShown = (teamId: string) => {
    const team = directory.findTeam(teamId)
    return team !== undefined && isJudged(team)
  }
  const personOf: Disguise['personOf'] = (teamId, person) => {
    if ('memberId' in person)
      return writePerson(
        people.ofMember(person.memberId) ?? strangerOf(teamId, person.memberId),
        teamId,
        numbers,
      )
    return writePerson(
      people.ofEmail(teamId, person.email) ?? strangerOf(teamId, person.email),
      teamId,
      numbers,
    )
  }
  const strangerOf = (teamId: string, address: string) => ({
    teamId,
    letters: people.ofStranger(teamId, address),
  })
  const cover = (teamId: string, text: string) => book().cover(text, teamId)
  const coverId = (teamId: string, id: string) => {
    if (cover(teamId, id) === id) return id
    return `hidden-${createHmac('sha256', key).update(`id ${teamId}\n${id}`).digest('hex').slice(0, 16)}`
  }
  return {
    isBlind: true,
    refOf: teamId => {
      const number = numbers.get(teamId)
      return number === undefined || !isShown(teamId) ? null : String(number)
    },
    findTeam: ref => {
      if (!/^[1-9]\d{0,8}$/.test(ref)) return null
      const [teamId] = [...numbers].find(([, number]) => number === Number(ref)) ?? []
      return teamId !== undefined && isShown(teamId) ? teamId : null
    },
    nameOf: teamId => writeTeam(teamId, numbers),
    personOf,
    cover: (teamId, value) => coverTexts(value, text => cover(teamId, text)),
    coverEntry: (teamId, entry) => {
      const { recorder: _, ...members } = entry as Readonly<Record<string, unknown>>
      const whole: Readonly<Record<string, (text: string) => string>> = {
        student: email => personOf(teamId, { email }),
        repo: () => 'repository',
        branch: branch => (trunkBranches.has(branch.toLowerCase()) ? branch : 'branch'),
        commit: () => 'commit',
        session_id: id => coverId(teamId, id),
      }
      return Object.fromEntries(
        Object.entries(members).map(([name, value]) => {
          const replace = whole[name]
          if (replace !== undefined && typeof value === 'string' && value !== '')
            return [name, replace(value)]
          return [cover(teamId, name), coverTexts(value, text => cover(teamId, text), true)]
        }),
      )
    },
    coverId,
  }
}

/** What stands for a name in a text of the team `viewed`. */
export function writeMeaning(meaning: Meaning, viewed: string, numbers: ReadonlyMap<string, number>): string {
  if (meaning.kind === 'team') return writeTeam(meaning.teamId, numbers)
  if (meaning.kind === 'person') return writePerson(meaning, viewed, numbers)
  return meaning.kind
}

function writeTeam(teamId: string, numbers: ReadonlyMap<string, number>): string {
  const number = numbers.get(teamId)
  return number === undefined ? 'another team' : `Team ${number}`
}

function writePerson(
  { teamId, letters }: { readonly teamId: string; readonly letters: string },
  viewed: string,
  numbers: ReadonlyMap<string, number>,
): string {
  return teamId === viewed ? `Person ${letters}` : `Person ${letters} of ${writeTeam(teamId, numbers)}`
}

function coverTexts<Value>(value: Value, cover: (text: string) => string, hasForeignNames = false): Value {
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return cover(part)
    if (typeof part !== 'object' || part === null) return part
    if (Array.isArray(part)) return part.map(walk)
    return Object.fromEntries(
      Object.entries(part).map(([name, member]) => [hasForeignNames ? cover(name) : name, walk(member)]),
    )
  }
  return walk(value) as Value
}
