// Teams of the sample event: twelve teams and how each has worked.

/** The condition that a team demonstrates. */
export type Role =
  | 'working'
  | 'budget_spent'
  | 'near_budget'
  | 'recorder_silent'
  | 'refused_now'
  | 'quiet'
  | 'blocked'

export type Tool = 'claude' | 'codex' | 'gemini'

export type PastTeam = {
  readonly id: string
  readonly name: string
  readonly members: readonly string[]
  readonly tools: readonly Tool[]
  readonly role: Role
  /** Share of its budget that it has spent, from 0 to 1. */
  readonly share: number
  /** Spreads its work over the five hours: maps progress in the work, from 0 to 1, to a point in time. */
  readonly pace: (place: number) => number
}

/** USD per team. */
export const teamBudget = 6

const steady = (place: number): number => place
const early = (place: number): number => place ** 1.7
const late = (place: number): number => 1 - (1 - place) ** 1.7
const inWaves = (place: number): number => place + 0.04 * Math.sin(place * 6 * Math.PI)
/** Leaves a break in the middle. */
const inHalves = (place: number): number => (place < 0.5 ? place * 0.8 : 0.6 + (place - 0.5) * 0.8)

export const cast: readonly PastTeam[] = [
  team(
    'night-ferry',
    'Night Ferry',
    'Jiwoo Han, Mateo Alvarez, Lin Chen',
    'claude codex gemini',
    'working',
    0.62,
    steady,
  ),
  team(
    'paper-lantern',
    'Paper Lantern',
    'Aino Virtanen, Kofi Mensah, Priya Nair',
    'claude gemini claude',
    'near_budget',
    0.94,
    late,
  ),
  team(
    'blue-kiwi',
    'Blue Kiwi',
    'Ravi Patel, Sara Lindqvist, Tom Okafor',
    'codex codex claude',
    'working',
    0.41,
    early,
  ),
  team(
    'quiet-storm',
    'Quiet Storm',
    'Minjun Park, Elena Rossi, Noah Weber',
    'claude claude gemini',
    'recorder_silent',
    0.55,
    late,
  ),
  team(
    'lemon-tree',
    'Lemon Tree',
    'Fatima Zahra, Oskar Nowak, Yuna Kim',
    'gemini gemini codex',
    'budget_spent',
    0.997,
    early,
  ),
  team(
    'tin-robots',
    'Tin Robots',
    'Diego Torres, Hana Sato, Ben Fischer',
    'claude codex codex',
    'refused_now',
    0.71,
    late,
  ),
  team(
    'north-star',
    'North Star',
    'Ingrid Solberg, Amara Obi, Leo Martin',
    'claude claude claude',
    'working',
    0.35,
    inWaves,
  ),
  team(
    'green-tea',
    'Green Tea',
    'Seojun Lee, Mei Tan, Ana Costa',
    'gemini claude codex',
    'working',
    0.48,
    inHalves,
  ),
  team(
    'slow-train',
    'Slow Train',
    'Pavel Novak, Zoe Laurent, Omar Haddad',
    'codex gemini claude',
    'quiet',
    0.22,
    early,
  ),
  team(
    'red-panda',
    'Red Panda',
    'Wei Zhang, Clara Jensen, Tariq Aziz',
    'claude gemini gemini',
    'working',
    0.78,
    late,
  ),
  team(
    'glass-bridge',
    'Glass Bridge',
    'Sofia Petrova, Ethan Brooks, Nari Choi',
    'codex claude gemini',
    'blocked',
    0.3,
    steady,
  ),
  team(
    'salt-and-sun',
    'Salt and Sun',
    'Luca Bianchi, Emeka Eze, Ida Berg',
    'claude codex claude',
    'working',
    0.58,
    inHalves,
  ),
]

function team(
  id: string,
  name: string,
  members: string,
  tools: string,
  role: Role,
  share: number,
  pace: PastTeam['pace'],
): PastTeam {
  return {
    id,
    name,
    members: members.split(', '),
    tools: tools.split(' ') as Tool[],
    role,
    share,
    pace,
  }
}

/** The point in the five hours at which a team's work ended. */
export const lastPlaces: Readonly<Record<Role, number>> = {
  working: 1,
  budget_spent: 0.86,
  near_budget: 1,
  recorder_silent: 1,
  refused_now: 1,
  quiet: 0.84,
  blocked: 0.6,
}
