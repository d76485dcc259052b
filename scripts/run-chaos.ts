// `npm run test:chaos -- --minutes 20`: runs the chaos campaign on one engine of the store, or on both side by side, and ends with a line of totals.
import { parseArgs } from 'node:util'
import { runCampaign } from '../packages/server/journeys/testing/chaos/run-campaign.ts'
import { startPostgres } from './testing/start-postgres.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    engine: { type: 'string', default: 'both' },
    'kill-every': { type: 'string', default: '40' },
    clients: { type: 'string', default: '20' },
    'hostile-share': { type: 'string', default: '0.25' },
    processes: { type: 'string', default: '3' },
    'crash-database': { type: 'boolean', default: false },
  },
})

function readNumber(name: Exclude<keyof typeof values, 'crash-database'>, min: number): number {
  const value = Number(values[name])
  if (Number.isFinite(value) && value >= min) return value
  console.error(`--${name} must be a number of at least ${min}.`)
  process.exit(2)
}

const options = {
  minutes: readNumber('minutes', 0.1),
  seed: readNumber('seed', 0),
  killEvery: readNumber('kill-every', 1),
  clients: readNumber('clients', 1),
  hostileShare: readNumber('hostile-share', 0),
}
/** Several processes need PostgreSQL. */
const processes = readNumber('processes', 1)

const campaigns: Readonly<Record<string, () => Promise<number>>> = {
  sqlite: runOnSqlite,
  postgres: runOnPostgres,
  both: runSideBySide,
}
const run = campaigns[values.engine]
if (run === undefined) {
  console.error(`--engine must be one of ${Object.keys(campaigns).join(', ')}.`)
  process.exit(2)
}
const failed = await run()
const engines = values.engine === 'both' ? 2 : 1
console.log(`${engines - failed} passed, ${failed} failed, 0 skipped`)
process.exit(failed === 0 ? 0 : 1)

/** Returns how many campaigns broke a promise: 0 or 1. */
async function runOnSqlite(): Promise<number> {
  delete process.env.TEST_POSTGRES_URL
  console.log(`seed ${options.seed} on SQLite`)
  return report(await runCampaign(options))
}

async function runOnPostgres(): Promise<number> {
  const postgres = startPostgres()
  if (postgres === null) {
    console.error('PostgreSQL is not installed. On Debian: apt-get install postgresql')
    process.exit(2)
  }
  process.env.TEST_POSTGRES_URL = postgres.url
  console.log(`seed ${options.seed} on PostgreSQL`)
  try {
    const crash = values['crash-database'] ? { crashDatabase: postgres.crash } : {}
    return report(await runCampaign({ ...options, ...crash, processes }))
  } finally {
    postgres.stop()
  }
}

/** Runs a process for each engine, with the same seed. */
async function runSideBySide(): Promise<number> {
  const given = process.argv
    .slice(2)
    .filter((word, at, all) => word !== '--engine' && all[at - 1] !== '--engine')
  const codes = await Promise.all(
    ['sqlite', 'postgres'].map(engine => {
      const words = [...given, '--engine', engine, '--seed', String(options.seed)]
      return Bun.spawn([process.execPath, import.meta.filename, ...words], {
        stdio: ['ignore', 'inherit', 'inherit'],
      }).exited
    }),
  )
  return codes.filter(code => code !== 0).length
}

function report({ violations, summary }: Awaited<ReturnType<typeof runCampaign>>): number {
  for (const violation of violations) console.log(`VIOLATION ${violation}`)
  console.log(summary)
  return violations.length === 0 ? 0 : 1
}
