// `npm test`, `npm run test:full` and `npm run test:browser`: run suites in parallel and end with one plain line of totals; a skipped test counts as a failure.
//
// The full run has only the long campaigns (`journeys/full`), which the other leaves out. Where PostgreSQL is installed, its
// own suites run too, and the journeys that a store has a part in a second time on it: some in the short run, the others in the full one. The full run ends with real coding agents on a gateway.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from '../packages/server/journeys/console/testing/find-chromium.ts'
import { migrateTemplate } from './testing/migrate-template.ts'
import { startPostgres } from './testing/start-postgres.ts'
import testTimes from './testing/test-times.json' with { type: 'json' }

type Totals = { passed: number; failed: number; skipped: number }

const root = fileURLToPath(new URL('..', import.meta.url))
const journeys = 'packages/server/journeys'
const campaigns = `${journeys}/full`
/** `npm run test:browser` runs these: they need Chromium. */
const browserSuites = `${journeys}/console`
/** `npm run test:deploy` runs these: they need root, and programs besides npm's. */
const deployment = `${journeys}/deploy`
/** These are about PostgreSQL alone. */
const postgresSuites = [
  'packages/server/src/store/postgres',
  'packages/server/src/limits/shared',
  'packages/server/src/store/statements/settle-shared.test.ts',
  `${journeys}/database-failover.test.ts`,
]

/** Four more than there are cores: many suites wait for processes and timers. With two more a machine of two cores idles a third of the time. */
const workers = `--parallel=${availableParallelism() + 4}`

/** A test waits for events, however long they take: this ends one that hangs. */
const hangMs = 300_000

const asked = process.argv.slice(2)
const isFull = asked[0] === '--full'
const isBrowser = asked[0] === '--browser'

async function runSuites(
  selection: readonly string[],
  variables: Record<string, string>,
  atOnce = workers,
): Promise<Totals> {
  const timings = findTimings(variables.TEST_POSTGRES_URL === undefined ? 'sqlite' : 'postgres')
  const command = [
    process.execPath,
    'test',
    atOnce,
    '--only-failures',
    '--preload=./scripts/fix-property-seed.ts',
    `--timeout=${hangMs}`,
    `--timings=${timings}`,
    '--update-timings',
    ...selection,
  ]
  const child = Bun.spawn(command, {
    cwd: root,
    env: { ...ownEnvironment(), ...variables },
    stdout: 'inherit',
    stderr: 'pipe',
  })
  let said = ''
  const decoder = new TextDecoder()
  for await (const bytes of child.stderr) {
    const text = decoder.decode(bytes, { stream: true })
    process.stderr.write(text)
    said += text
  }
  const code = await child.exited
  failures.push(...listFailures(said))
  const count = (word: string) =>
    Number(new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(said.slice(-4000))?.[1] ?? 0)
  // A suite that broke before its first test has no failed test, only an exit code.
  const failed = Math.max(count('fail'), code === 0 ? 0 : 1)
  return { passed: count('pass'), failed, skipped: count('skip') + count('todo') }
}

/**
 * How long each file took in the last runs. The longest begin first, so that the run does not end with one of them alone. A new clone begins
 * with `testing/test-times.json`: times of the longer files on two cores, taken from the caches of a whole run.
 */
function findTimings(engine: 'sqlite' | 'postgres'): string {
  const path = `${root}node_modules/.cache/fairgate/test-timings-${engine}.json`
  mkdirSync(dirname(path), { recursive: true })
  try {
    JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // There is none yet, or a run ended while it was being written: Bun refuses to start with such a file.
    writeFileSync(path, JSON.stringify(testTimes[engine]))
  }
  return path
}

/** Installed from npm the first time, which alone may take minutes; each run of an agent is bounded by itself. */
const agentsMs = 45 * 60_000

/** Whoever has no registry in reach sees lines `skipped`, and is not held up. */
async function runAgents(): Promise<Totals> {
  console.log('Real coding agents on a gateway:')
  const child = Bun.spawn([process.execPath, 'agents/main.ts', 'gateway'], {
    cwd: root,
    env: ownEnvironment(),
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: agentsMs,
  })
  let said = ''
  for await (const bytes of child.stdout) {
    process.stdout.write(bytes)
    said += new TextDecoder().decode(bytes)
  }
  const code = await child.exited
  const [, passed = '0', failed = '0', skipped = '0'] =
    /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(said) ?? []
  failures.push(...[...said.matchAll(/^FAILED +(.*)$/gm)].map(([, what = '']) => `agents: ${what}`))
  if (Number(passed) + Number(failed) === 0 && Number(skipped) > 0) {
    console.log(
      "SKIPPED: real coding agents. They are installed from npm's registry, which cannot be reached",
    )
    return { passed: 0, failed: 0, skipped: 0 }
  }
  return {
    passed: Number(passed),
    failed: Math.max(Number(failed), code === 0 ? 0 : 1),
    skipped: Number(skipped),
  }
}

/** `file: test` for each failed test, from what the runner has said. */
function listFailures(said: string): string[] {
  const failed: string[] = []
  let file = ''
  for (const line of Bun.stripANSI(said).split('\n')) {
    if (/^\S+\.test\.ts:$/.test(line)) file = line
    else if (line.startsWith('(fail) ')) failed.push(`${file} ${line.slice('(fail) '.length)}`)
  }
  return failed
}

/** A developer's own settings must not reach the servers that tests start. */
function ownEnvironment(): Record<string, string | undefined> {
  const variables = Object.entries({ ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' })
  return Object.fromEntries(
    variables.filter(([name]) => !/^(FAIRGATE_|VENDOR_|DATABASE_URL$|TEST_POSTGRES_URL$)/.test(name)),
  )
}

/** Named again at the end, where a reader of a long log looks first. */
const failures: string[] = []
const totals: Totals = { passed: 0, failed: 0, skipped: 0 }
const add = (more: Totals) => {
  totals.passed += more.passed
  totals.failed += more.failed
  totals.skipped += more.skipped
}

/** `place`: a folder, or a file. */
const without = (place: string) => `--path-ignore-patterns=${place.endsWith('.ts') ? place : `${place}/**`}`
/** `chat-complete` stands for all the journeys that ask every engine the same few things. */
const fewOnPostgres = ['call-record', 'chat-complete', 'crash', 'event', 'limits', 'several-processes'].map(
  name => `./${journeys}/${name}.test.ts`,
)
/**
 * The other journeys in which the engine of the store matters: money, entries, idempotency, videos, windows, a database that is away, texts
 * and numbers that only one engine refuses (`hostile-input`, which asks every route).
 */
const moreOnPostgres = [
  'backup',
  'budget-race',
  'coverage',
  'database-away',
  'database-copy',
  'dry-run',
  'hand-over',
  'hostile-input',
  'idempotency',
  'logbook',
  'organiser-logs',
  'planned-acts',
  'shared-directory',
  'video-store',
  'videos',
  'window-peaks',
].map(name => `./${journeys}/${name}.test.ts`)
/** A minute of random histories, which the full run plays. Those of one process, in memory, are in the short one. */
const linesOnPostgres = './packages/server/src/limits/shared/lines-simulation.test.ts'
/** These ask no store, or look only at what comes before it. */
const fullOnSqliteAlone = [
  'hostile-floods',
  'hostile-vendor',
  'ledger-simulation',
  'processes',
  'replaced-processes',
  'request-rate',
  'unwritable-log',
].map(name => `--path-ignore-patterns=${campaigns}/${name}.test.ts`)
/** Random requests, of which `npm test` sends a part: the full run sends sixteen times as many. */
const hostileInput = `./${journeys}/hostile-input.test.ts`
const fewRuns = { HOSTILE_RUNS: '0.25' }
const manyRuns = { HOSTILE_RUNS: '4' }
/** Their hundreds of clients take all of a machine: beside them the replies of others would come too late. */
const loudOnSqlite = [`./${campaigns}/exact-limits.test.ts`]
const loudOnPostgres = [...loudOnSqlite, `./${campaigns}/rolling-restart.test.ts`]
const withoutLoud = loudOnPostgres.map(path => without(path.slice(2)))
if (isBrowser && findChromium() === null)
  console.log('SKIPPED: the suites of the pages. Debian: apt-get install chromium')
else if (isBrowser) add(await runSuites([browserSuites, ...asked.slice(1)], {}, '--parallel=3'))
else await runOthers()

async function runOthers(): Promise<void> {
  add(
    await runSuites(
      isFull
        ? [campaigns, hostileInput, ...withoutLoud]
        : [
            without(campaigns),
            without(deployment),
            without(browserSuites),
            ...postgresSuites.map(without),
            ...asked,
          ],
      isFull ? manyRuns : fewRuns,
    ),
  )
  if (isFull) add(await runSuites(loudOnSqlite, {}, '--parallel=1'))

  if (asked.length === 0 || isFull) {
    const postgres = startPostgres()
    if (postgres === null) {
      console.log('SKIPPED: the suites on PostgreSQL. Debian: apt-get install postgresql')
    } else {
      try {
        console.log('Once more on PostgreSQL:')
        await migrateTemplate(postgres.url)
        const variables = { TEST_POSTGRES_URL: postgres.url }
        const selection = isFull
          ? [campaigns, linesOnPostgres, ...moreOnPostgres, ...withoutLoud, ...fullOnSqliteAlone]
          : [
              ...fewOnPostgres,
              ...postgresSuites.map(place => `./${place}`),
              without(linesOnPostgres.slice(2)),
            ]
        add(await runSuites(selection, isFull ? { ...variables, ...manyRuns } : variables))
        if (isFull) add(await runSuites(loudOnPostgres, variables, '--parallel=1'))
      } finally {
        postgres.stop()
      }
    }
  }
  if (isFull) add(await runAgents())
}
for (const failure of failures) console.log(`FAILED ${failure}`)
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
const isNothing = totals.passed === 0 && !(isBrowser && findChromium() === null)
process.exit(totals.failed > 0 || totals.skipped > 0 || isNothing ? 1 : 0)
