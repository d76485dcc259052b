// Decides how many processes serve: what was asked for, within what database and system allow.

/** As many as the database has places for, on all machines together (`processes.slot`). */
const mostProcesses = 64

export type ProcessesSetting = number | 'auto'

/** `name`: the option or variable, for the message. Throws an Error that names it. */
export function parseProcesses(text: string, name: string): ProcessesSetting {
  const trimmed = text.trim()
  if (trimmed === 'auto') return 'auto'
  const count = Number(trimmed)
  if (/^\d{1,9}$/.test(trimmed) && count >= 1 && count <= mostProcesses) return count
  throw new Error(`${name} must be a whole number from 1 to ${mostProcesses}, or auto, not "${text}".`)
}

export type DatabaseFacts = {
  /** Null: SQLite. */
  readonly databaseUrl: string | null
  /** Where limits and holds are kept: in the memory of the one process that has the database, or in the database itself. */
  readonly limits: 'memory' | 'shared'
}

/** Why the database serves only one process; null when it serves several. */
export function whyOnlyOne({ databaseUrl, limits }: DatabaseFacts): string | null {
  if (databaseUrl === null)
    return 'SQLite serves one process. Set DATABASE_URL to a PostgreSQL database to run several.'
  return limits === 'shared' ? null : 'Limits that are kept in memory are kept by one process.'
}

export type Surroundings = {
  /** See `whyOnlyOne`. */
  readonly whyOnlyOne: string | null
  readonly platform: string
  readonly cores: number
}

/** `auto` is one process where several cannot be. A number that cannot be is an Error that says why. */
export function countProcesses(
  asked: ProcessesSetting,
  { whyOnlyOne, platform, cores }: Surroundings,
): number {
  const obstacle =
    platform === 'linux' ? whyOnlyOne : 'Several processes can share their addresses on Linux only.'
  if (asked === 'auto') return obstacle === null ? Math.min(Math.max(cores, 1), mostProcesses) : 1
  if (asked > 1 && obstacle !== null) throw new Error(`${asked} processes cannot run here. ${obstacle}`)
  return asked
}
