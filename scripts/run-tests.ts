// `npm test`, `npm run test:browser` and `npm run test:full`: run the suites of one tier on each engine and end with a line of totals.
//
// A file that fails runs once more, alone, unless it guards an invariant. If it passes then, it is FLAKY: printed, counted, and allowed in two
// files per run. A skipped test counts as a failure.
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
const tier =
  tiers.find(name => name === tierName) ??
  stop(`Unknown tier "${tierName}". Choose from ${tiers.join(', ')}.`)

/** One engine's part of the run. Its first pass prints as it goes, or at the end. */
type Side = {
  readonly engine: Engine
  readonly suites: readonly Suite[]
  readonly variables: Readonly<Record<string, string>>
}

const cores = availableParallelism()
/**
 * Files at once. Many suites wait for processes and timers: with two more than cores, a machine with two cores idles a third of the time.
 * Both engines run side by side, so that neither ends with a single long file.
 */
const workers: Readonly<Record<Tier, Readonly<Record<Engine, number>>>> = {
  test: { sqlite: cores + 2, postgres: cores },
  browser: { sqlite: 3, postgres: 1 },
  full: { sqlite: cores + 1, postgres: cores + 1 },
  deploy: { sqlite: 1, postgres: 1 },
}
/** How many random requests a hostile suite sends. */
const hostileRuns: Partial<Record<Tier, string>> = { test: '0.25', full: '4' }

const inTier = listSuites().filter(
  ({ file, runs }) =>
    runs.some(run => run.tier === tier) &&
    (patterns.length === 0 || patterns.some(pattern => file.includes(pattern))),
)
const needsChromium = ({ file }: Suite) => file.includes('/journeys/console/')
const hasChromium = findChromium() !== null
if (!hasChromium && inTier.some(needsChromium))
  console.log('SKIPPED: the page suites need Chromium. On Debian: apt-get install chromium')
const chosen = inTier.filter(suite => hasChromium || !needsChromium(suite))
const first: FileResult[] = []
const again: FileResult[] = []
let strayErrors = 0

const sides: Side[] = [{ engine: 'sqlite', suites: suitesOn('sqlite'), variables: {} }]
const onPostgres = suitesOn('postgres')
const postgres = onPostgres.length === 0 ? null : startPostgres()
if (postgres !== null) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(1))
  await migrateTemplate(postgres.url)
  sides.push({ engine: 'postgres', suites: onPostgres, variables: { TEST_POSTGRES_URL: postgres.url } })
} else if (onPostgres.length > 0) {
  console.log('SKIPPED: suites on PostgreSQL. On Debian: apt-get install postgresql')
}
await Promise.all(sides.map(runTogether))
for (const side of sides) await runAlone(side)
for (const side of sides) await runAgain(side)

const { passed, failed, skipped, failures, flaky, flakyFiles, isGreen } = judgeRun(first, again, strayErrors)
for (const test of failures) console.log(`FAILED ${test}`)
for (const test of flaky) console.log(`FLAKY ${test}`)
console.log(`${flakyFiles} flaky`)
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
end(isGreen ? 0 : 1)

async function runTogether(side: Side): Promise<void> {
  const files = side.suites.filter(({ alone }) => !alone)
  const isShown = side.engine === 'sqlite'
  let held = ''
  const print = (text: string) => {
    if (isShown) process.stderr.write(text)
    else held += text
  }
  first.push(...(await run(side, files, workers[tier][side.engine], print)))
  if (!isShown) console.error(`On PostgreSQL:\n${held}`)
}

async function runAlone(side: Side): Promise<void> {
  first.push(
    ...(await run(
      side,
      side.suites.filter(({ alone }) => alone),
    )),
  )
}

async function runAgain(side: Side): Promise<void> {
  const failedFiles = first.filter(({ failures: own }) => own.length > 0).map(({ file }) => file)
  const files = side.suites.filter(
    ({ file, invariant }) => !invariant && failedFiles.includes(label(side, file)),
  )
  if (files.length === 0 || files.length > maxFlakyFiles) return
  console.log(`Running again, alone: ${files.map(({ file }) => label(side, file)).join(', ')}`)
  again.push(...(await run(side, files)))
}

async function run(
  side: Side,
  suites: readonly Suite[],
  atOnce = 1,
  print = (text: string): void => void process.stderr.write(text),
): Promise<readonly FileResult[]> {
  const runs = hostileRuns[tier]
  const variables = { ...side.variables, ...(runs === undefined ? {} : { HOSTILE_RUNS: runs }) }
  const result = await runFiles(suites, { root, variables, workers: atOnce, print })
  strayErrors += result.strayErrors
  return result.files.map(each => ({ ...each, file: label(side, each.file) }))
}

function label({ engine }: Side, file: string): string {
  return engine === 'sqlite' ? file : `${file} on PostgreSQL`
}

function suitesOn(engine: Engine): readonly Suite[] {
  return chosen.filter(({ runs }) => runs.some(each => each.tier === tier && each.engine === engine))
}

function listSuites(): readonly Suite[] {
  const files = [...new Bun.Glob('{packages,scripts}/**/*.test.{ts,tsx}').scanSync({ cwd: root })]
  return files
    .filter(file => !file.includes('node_modules/'))
    .sort()
    .map(file => readSuite(file, readFileSync(`${root}${file}`, 'utf8').split('\n', 1)[0] ?? ''))
}

/** Removes the databases even if the run is interrupted. */
function end(code: number): never {
  postgres?.stop()
  process.exit(code)
}

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}
