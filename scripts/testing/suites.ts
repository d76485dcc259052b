// Finds the tier of each test file and the store engines that it runs on.
//
// The folder sets the tier: `journeys/full/` is full, `journeys/console/` browser, `journeys/deploy/` deploy, everything else test. The engine
// is SQLite. A first line can add to this or override it: `// suite: test on sqlite; full on postgres; 25 s`.

export const tiers = ['test', 'browser', 'full', 'deploy'] as const
export type Tier = (typeof tiers)[number]

export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

export type Suite = {
  /** Below the root of the repository. */
  readonly file: string
  readonly runs: readonly { readonly tier: Tier; readonly engine: Engine }[]
  /** It needs the whole machine, so no other file runs at the same time. */
  readonly alone: boolean
  /** It guards a promise against every interleaving. A failure is a fault, and the file does not run again. */
  readonly invariant: boolean
  /** Approximate time on two cores. The longest start first, so that no run ends with one of them alone. */
  readonly seconds: number
}

const folders: readonly (readonly [folder: string, tier: Tier])[] = [
  ['/journeys/full/', 'full'],
  ['/journeys/console/', 'browser'],
  ['/journeys/deploy/', 'deploy'],
]

/** Throws an Error that names the file if its first line is not valid. */
export function readSuite(file: string, firstLine: string): Suite {
  const tier = folders.find(([folder]) => file.includes(folder))?.[1] ?? 'test'
  const line = /^\/\/ suite:(.*)$/.exec(firstLine)?.[1]
  const clauses = line === undefined ? [] : line.split(';').map(clause => clause.trim())
  const runs = clauses.flatMap(clause => readRuns(clause) ?? [])
  const seconds = clauses.map(clause => Number(/^(\d+) s$/.exec(clause)?.[1])).find(Number.isInteger)
  const unknown = clauses.find(
    clause =>
      clause !== 'alone' && clause !== 'invariant' && !/^\d+ s$/.test(clause) && readRuns(clause) === null,
  )
  if (unknown !== undefined)
    throw new Error(
      `${file}: "${unknown}" is not part of a suite line. Use "<${tiers.join('|')}> on <${engines.join('|')}> [and …]", "alone", "invariant" and "<n> s", separated by semicolons.`,
    )
  return {
    file,
    runs: runs.length > 0 ? runs : [{ tier, engine: 'sqlite' }],
    alone: clauses.includes('alone'),
    invariant: clauses.includes('invariant') || tier === 'full',
    seconds: seconds ?? 1,
  }
}

/** Parses a clause like `full on sqlite and postgres`; null for any other clause. */
function readRuns(clause: string): Suite['runs'] | null {
  const [, named, list = ''] = /^(\w+) on (\w+(?: and \w+)*)$/.exec(clause) ?? []
  const tier = tiers.find(name => name === named)
  const known = list.split(' and ').flatMap(name => engines.filter(engine => engine === name))
  if (tier === undefined || known.length !== list.split(' and ').length) return null
  return known.map(engine => ({ tier, engine }))
}
