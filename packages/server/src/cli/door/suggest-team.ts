// Adds "did you mean" to the refusal of an unknown team, with teams that have a similar id or name.
import { teamListSchema } from '@fairgate/contracts/management/team-bodies.ts'
import { Value } from 'typebox/value'
import { CommandFailure } from '../command-failure.ts'
import type { AdminRoute } from './call-admin-door.ts'

const maxSuggestions = 3

/** Returns the failure with suggestions, unchanged if there are none. Rejects if the teams cannot be read. */
export async function suggestTeam(
  failure: CommandFailure,
  route: AdminRoute,
  listTeams: () => Promise<unknown>,
): Promise<CommandFailure> {
  const typed = listTypedTeams(route)
  if (typed.length === 0) return failure
  const teams = await listTeams()
  if (!Value.Check(teamListSchema, teams)) return failure
  // If there are several names, known ones are not typing errors.
  const unknown = typed.filter(name => !teams.some(({ team_id }) => team_id === name))
  const names = teams.map(({ team_id, team_alias }) => ({ id: team_id, spellings: [team_id, team_alias] }))
  const found = [...new Set(unknown.flatMap(name => findClosest(name, names)))].slice(0, maxSuggestions)
  if (found.length === 0) return failure
  return new CommandFailure(failure.exitCode, `${failure.message}\nDid you mean ${joinWords(found)}?`)
}

/** The team ids in a request, wherever the routes have them. */
function listTypedTeams({ path, body }: AdminRoute): readonly string[] {
  const url = new URL(path, 'http://door')
  const inPath = /^\/team\/([^/]+)\/[^/]+$/.exec(url.pathname)?.[1]
  const many: readonly unknown[] = Array.isArray(body?.teams) ? body.teams : []
  const all = [
    url.searchParams.get('team_id'),
    inPath === undefined ? null : decodeURIComponent(inPath),
    body?.team_id,
    ...many,
  ]
  return all.filter(name => typeof name === 'string')
}

type Named = { readonly id: string; readonly spellings: readonly (string | null)[] }

/** The ids at the smallest distance, if that is a slip and not another word. */
function findClosest(typed: string, teams: readonly Named[]): readonly string[] {
  const measured = teams.map(({ id, spellings }) => {
    const distances = spellings.flatMap(name => (name === null || name === '' ? [] : [measure(typed, name)]))
    return { id, distance: Math.min(...distances) }
  })
  const least = Math.min(...measured.map(({ distance }) => distance))
  if (least > Math.max(1, Math.floor(typed.length / 3))) return []
  return measured.filter(({ distance }) => distance === least).map(({ id }) => id)
}

/** Edits between two names; two letters that change places are one. Case, separators and leading zeros do not count: team-1 is Team 01. */
function measure(typed: string, name: string): number {
  const [one, other] = [normalise(typed), normalise(name)]
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [i, letter] of one.entries()) {
    const next = [i + 1]
    for (const [j, against] of other.entries()) {
      const isSwap = i > 0 && j > 0 && letter === other[j - 1] && one[i - 1] === against
      const [up = 0, left = 0, corner = 0] = [row[j + 1], next[j], row[j]]
      const edits = Math.min(up + 1, left + 1, corner + (letter === against ? 0 : 1))
      next.push(isSwap ? Math.min(edits, (before[j - 1] ?? 0) + 1) : edits)
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}

function normalise(name: string): readonly string[] {
  return [
    ...name
      .toLowerCase()
      .replaceAll(/[\s._-]+/g, '')
      .replaceAll(/(?<!\d)0+(?=\d)/g, ''),
  ]
}

function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}
