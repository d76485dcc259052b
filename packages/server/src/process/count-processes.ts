// Decides how many processes serve: what was asked for, within what database and system allow.

/** As many as the database has places for, on all machines together (`processes.slot`). */
const mostProcesses = 64

export type ProcessesSetting = number | 'auto'

/** Null: see `processesRule`. */
export function parseProcesses(text: string): ProcessesSetting | null {
  const trimmed = text.trim()
  if (trimmed === 'auto') return 'auto'
  const count = Number(trimmed)
  return /^\d{1,9}$/.test(trimmed) && count >= 1 && count <= mostProcesses ? count : null
}

export const processesRule = `must be a whole number from 1 to ${mostProcesses}, or auto`

/** Why the database serves only one process; null when it serves several. `databaseUrl` null: SQLite. */
export function whyOnlyOne(databaseUrl: string | null): string | null {
  return databaseUrl === null
    ? 'SQLite serves one process. Set DATABASE_URL to a PostgreSQL database to run several.'
    : null
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
