// `npm test` and `npm run test:full`: run suites in parallel and end with one plain line of totals; a skipped test counts as a failure.
//
// The full run has only the long campaigns (`journeys/full`), which the other leaves out. Where PostgreSQL is installed, its
// own suites run too, and the journeys that a store has a part in a second time on it. The full run ends with real coding agents on a gateway.
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { startPostgres } from './testing/start-postgres.ts'

type Totals = { passed: number; failed: number; skipped: number }

const root = fileURLToPath(new URL('..', import.meta.url))
const journeys = 'packages/server/journeys'
const campaigns = `${journeys}/full`
/** `npm run test:deploy` runs these: they need root, and programs besides npm's. */
const deployment = `${journeys}/deploy`
/** These are about PostgreSQL alone. */
const postgresSuites = [
  'packages/server/src/store/postgres',
  'packages/server/src/limits/shared',
  'packages/server/src/store/statements/settle-shared.test.ts',
  `${journeys}/database-failover.test.ts`,
]

/** One more than there are cores: many suites wait for processes and timers. 187 s on two cores, where two workers took 286. */
const workers = `--parallel=${availableParallelism() + 1}`

/** A test waits for events, however long they take: this ends one that hangs. */
const hangMs = 300_000

const asked = process.argv.slice(2)
const isFull = asked[0] === '--full'

async function runSuites(
  selection: readonly string[],
  variables: Record<string, string>,
  atOnce = workers,
): Promise<Totals> {
  const command = [process.execPath, 'test', atOnce, '--only-failures', `--timeout=${hangMs}`, ...selection]
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
/**
 * The journeys in which the engine of the store matters: money, crashes, entries, the directory, idempotency, videos, windows, a
 * database that is away. `chat-complete` stands for all others, which ask every engine the same few things.
 */
const onPostgres = [
  'authorisation',
  'backup',
  'budget-race',
  'call-record',
  'chat-complete',
  'coverage',
  'crash',
  'database-away',
  'database-copy',
  'hand-over',
  'hostile-input',
  'idempotency',
  'limits',
  'logbook',
  'messages',
  'organiser-logs',
  'pass-through-idempotency',
  'pass-through-videos',
  'responses-sdk',
  'restart-windows',
  'several-processes',
  'shared-directory',
  'videos',
  'videos-crash',
].map(name => `./${journeys}/${name}.test.ts`)
/** These ask no store, or look only at what comes before it. */
const fullOnSqliteAlone = ['hostile-floods', 'ledger-simulation', 'request-rate'].map(
  name => `--path-ignore-patterns=${campaigns}/${name}.test.ts`,
)
/** Their hundreds of clients take all of a machine: beside them the replies of others would come too late. */
const loudOnSqlite = [`./${campaigns}/exact-limits.test.ts`]
const loudOnPostgres = [...loudOnSqlite, `./${campaigns}/rolling-restart.test.ts`]
const withoutLoud = loudOnPostgres.map(path => without(path.slice(2)))
add(
  await runSuites(
    isFull
      ? [campaigns, ...withoutLoud]
      : [without(campaigns), without(deployment), ...postgresSuites.map(without), ...asked],
    {},
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
      const variables = { TEST_POSTGRES_URL: postgres.url }
      const selection = isFull
        ? [campaigns, ...withoutLoud, ...fullOnSqliteAlone]
        : [...onPostgres, ...postgresSuites.map(place => `./${place}`)]
      add(await runSuites(selection, variables))
      if (isFull) add(await runSuites(loudOnPostgres, variables, '--parallel=1'))
    } finally {
      postgres.stop()
    }
  }
}
if (isFull) add(await runAgents())
for (const failure of failures) console.log(`FAILED ${failure}`)
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exit(totals.failed > 0 || totals.skipped > 0 || totals.passed === 0 ? 1 : 0)
