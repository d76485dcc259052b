// `npm test`, `npm run test:browser` and `npm run test:full`: run the suites of one tier on each engine and end with one plain line of totals.
//
// A file that fails is run once more, alone, unless it guards an invariant. Passing then makes it FLAKY: printed, counted, and allowed in two
// files of a run. A skipped test counts as a failure.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { findChromium } from '../packages/server/journeys/console/testing/find-chromium.ts'
import { judgeRun, maxFlakyFiles } from './testing/judge-run.ts'
import { migrateTemplate } from './testing/migrate-template.ts'
import type { FileResult } from './testing/read-report.ts'
import { runFiles } from './testing/run-files.ts'
import { startPostgres } from './testing/start-postgres.ts'
import { type Engine, readSuite, type Suite, type Tier, tiers } from './testing/suites.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const [tierName = 'test', ...patterns] = process.argv.slice(2)
const tier = tiers.find(name => name === tierName) ?? stop(`There is no tier "${tierName}".`)

/** Files at once. Many suites wait for processes and timers: with two more than cores, a machine of two cores idles a third of the time. */
const workers: Readonly<Record<Tier, number>> = {
  test: availableParallelism() + 4,
  browser: 3,
  full: availableParallelism() + 4,
  deploy: 1,
}
/** How many of its random requests a hostile suite sends. */
const hostileRuns: Partial<Record<Tier, string>> = { test: '0.25', full: '4' }

const suites = listSuites().filter(
  ({ file }) => patterns.length === 0 || patterns.some(pattern => file.includes(pattern)),
)
const first: FileResult[] = []
const again: FileResult[] = []
let strayErrors = 0

if (tier === 'browser' && findChromium() === null) {
  console.log('SKIPPED: the suites of the pages. Debian: apt-get install chromium')
  console.log('0 passed, 0 failed, 0 skipped')
  process.exit(0)
}
await runOn('sqlite', {})
if (suitesOn('postgres').length > 0) {
  const postgres = startPostgres()
  if (postgres === null) {
    console.log('SKIPPED: the suites on PostgreSQL. Debian: apt-get install postgresql')
  } else {
    try {
      console.log('On PostgreSQL:')
      await migrateTemplate(postgres.url)
      await runOn('postgres', { TEST_POSTGRES_URL: postgres.url })
    } finally {
      postgres.stop()
    }
  }
}

const { passed, failed, skipped, failures, flaky, isGreen } = judgeRun(first, again, strayErrors)
for (const test of failures) console.log(`FAILED ${test}`)
for (const test of flaky) console.log(`FLAKY ${test}`)
console.log(`${flaky.length} flaky`)
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(isGreen ? 0 : 1)

async function runOn(engine: Engine, ownVariables: Readonly<Record<string, string>>): Promise<void> {
  const chosen = suitesOn(engine)
  const runs = hostileRuns[tier]
  const variables = { ...ownVariables, ...(runs === undefined ? {} : { HOSTILE_RUNS: runs }) }
  const label = (result: FileResult): FileResult =>
    engine === 'sqlite' ? result : { ...result, file: `${result.file} on PostgreSQL` }
  const run = async (files: readonly Suite[], atOnce: number): Promise<readonly FileResult[]> => {
    const result = await runFiles(files, { root, variables, workers: atOnce })
    strayErrors += result.strayErrors
    return result.files
  }
  const results = [
    ...(await run(
      chosen.filter(({ alone }) => !alone),
      workers[tier],
    )),
    ...(await run(
      chosen.filter(({ alone }) => alone),
      1,
    )),
  ]
  first.push(...results.map(label))
  const failed = results.flatMap(({ file, failures }) => (failures.length > 0 ? [file] : []))
  const repeatable = chosen.filter(({ file, invariant }) => failed.includes(file) && !invariant)
  if (repeatable.length === 0 || repeatable.length > maxFlakyFiles) return
  console.log(`Once more, alone: ${repeatable.map(({ file }) => file).join(', ')}`)
  again.push(...(await run(repeatable, 1)).map(label))
}

function suitesOn(engine: Engine): readonly Suite[] {
  return suites.filter(({ runs }) => runs.some(run => run.tier === tier && run.engine === engine))
}

function listSuites(): readonly Suite[] {
  const files = [...new Bun.Glob('{packages,scripts}/**/*.test.{ts,tsx}').scanSync({ cwd: root })]
  return files
    .filter(file => !file.includes('node_modules/'))
    .sort()
    .map(file => readSuite(file, readFileSync(`${root}${file}`, 'utf8').split('\n', 1)[0] ?? ''))
}

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}
