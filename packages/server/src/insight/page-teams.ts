// Turns team rows into the requested page: filtered, sorted, and starting after the previous page.
import {
  defaultTeamsPage,
  type TeamRow,
  type TeamSort,
  type TeamState,
  type TeamsQuery,
  type TeamsReply,
  teamStates,
} from '@fairgate/contracts/console/teams.ts'
import Type, { type Static } from 'typebox'
import { readPlace, writePlace } from '../directory/pages.ts'
import { refuseValue } from '../directory/refusals.ts'

const placeSchema = Type.Tuple([Type.Union([Type.String(), Type.Number(), Type.Null()]), Type.String()])
type Place = Static<typeof placeSchema>

const states = Object.keys(teamStates) as TeamState[]
const attention = new Map(states.map((state, index) => [state, index]))

/** `namesOf`: the names of a team's members, which `q` also finds. Throws ApiError `invalid_request`. */
export function pageTeams(
  rows: readonly TeamRow[],
  query: TeamsQuery,
  namesOf: (teamId: string) => readonly string[],
): Pick<TeamsReply, 'items' | 'next' | 'total'> {
  const { sort = 'attention', order = 'asc', q, team_id, limit = defaultTeamsPage, after } = query
  const wanted = readStates(query.state)
  const text = q?.toLocaleLowerCase()
  const found = rows.filter(
    row =>
      (team_id === undefined || row.team_id === team_id) &&
      (wanted === null || wanted.has(row.state)) &&
      (text === undefined ||
        [row.team_id, row.team_alias, ...namesOf(row.team_id)].some(name =>
          name.toLocaleLowerCase().includes(text),
        )),
  )
  const isDescending = order === 'desc' && sort !== 'attention'
  const placed = found
    .map(row => ({ row, place: placeOf(row, sort) }))
    .sort((left, right) => comparePlaces(left.place, right.place, isDescending))
  const from = after === undefined ? null : readPlace(placeSchema, after)
  const behind =
    from === null ? placed : placed.filter(({ place }) => comparePlaces(place, from, isDescending) > 0)
  const page = behind.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(({ row }) => row),
    next: last !== undefined && behind.length > limit ? writePlace(last.place) : null,
    total: { count: found.length, exact: true },
  }
}

function readStates(text: string | undefined): ReadonlySet<string> | null {
  if (text === undefined) return null
  const names = text.split(',')
  const unknown = names.find(name => !Object.hasOwn(teamStates, name))
  if (unknown !== undefined)
    throw refuseValue('state', `there is no state "${unknown}". Use one of: ${states.join(', ')}.`)
  return new Set(names)
}

function placeOf(row: TeamRow, sort: TeamSort): Place {
  if (sort !== 'attention') return [row[sort], row.team_id]
  const rank = attention.get(row.state) ?? states.length
  const spent = Math.max(0, row.spent_nano)
  return [`${rank} ${String(Number.MAX_SAFE_INTEGER - spent).padStart(16, '0')}`, row.team_id]
}

/** Items without a value come last in either direction. */
function comparePlaces(left: Place, right: Place, isDescending: boolean): number {
  const [one, other] = [left[0], right[0]]
  if (one !== other) {
    if (one === null) return 1
    if (other === null) return -1
    return one < other === isDescending ? 1 : -1
  }
  return left[1] < right[1] ? -1 : left[1] === right[1] ? 0 : 1
}
