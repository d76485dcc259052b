// `npm run test:chaos -- --minutes 20`: the chaos campaign on one engine of the store or on both; ends with a line of figures and exit code 1 when anything was wrong.
import { parseArgs } from 'node:util'
import { runCampaign } from '../packages/server/journeys/testing/chaos/run-campaign.ts'
import { startPostgres } from './testing/start-postgres.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    engine: { type: 'string', default: 'sqlite' },
    'kill-every': { type: 'string', default: '40' },
    clients: { type: 'string', default: '20' },
    'hostile-share': { type: 'string', default: '0.25' },
    processes: { type: 'string', default: '1' },
    'crash-database': { type: 'boolean', default: false },
  },
})

function readNumber(name: Exclude<keyof typeof values, 'crash-database'>, least: number): number {
  const value = Number(values[name])
  if (Number.isFinite(value) && value >= least) return value
  console.error(`--${name} must be a number from ${least}.`)
  process.exit(2)
}

const engines = ['sqlite', 'postgres', 'both'] as const
const engine = engines.find(name => name === values.engine)
if (engine === undefined) {
  console.error(`--engine must be one of ${engines.join(', ')}.`)
  process.exit(2)
}
const options = {
  minutes: readNumber('minutes', 0.1),
  seed: readNumber('seed', 0),
  killEvery: readNumber('kill-every', 1),
  clients: readNumber('clients', 1),
  hostileShare: readNumber('hostile-share', 0),
  processes: readNumber('processes', 1),
}
if (engine !== 'postgres' && (options.processes > 1 || values['crash-database'])) {
  console.error('--processes and --crash-database need --engine postgres.')
  process.exit(2)
}
console.log(`seed ${options.seed}`)

const summaries: string[] = []
const violations: string[] = []
async function run(crashDatabase?: (downMs: number) => Promise<void>): Promise<void> {
  const report = await runCampaign({ ...options, ...(crashDatabase === undefined ? {} : { crashDatabase }) })
  summaries.push(report.summary)
  violations.push(...report.violations)
}

delete process.env.TEST_POSTGRES_URL
if (engine !== 'postgres') await run()
if (engine !== 'sqlite') {
  const postgres = startPostgres()
  if (postgres === null) {
    console.error('There is no PostgreSQL. Debian: apt-get install postgresql')
    process.exit(2)
  }
  process.env.TEST_POSTGRES_URL = postgres.url
  try {
    await (values['crash-database'] ? run(postgres.crash) : run())
  } finally {
    postgres.stop()
  }
}
for (const violation of violations) console.log(`VIOLATION ${violation}`)
for (const summary of summaries) console.log(summary)
process.exit(violations.length === 0 ? 0 : 1)
