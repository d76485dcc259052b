// `npm run campaigns -- <name>`: runs a long suite and records the result in docs/campaigns.json. `-- --list` shows when each last passed, and
// on which machine. Extra arguments go to the campaign (`npm run campaigns -- full faults`); such a partial run is not recorded.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

type Campaign = {
  readonly does: string
  readonly command: readonly string[]
  /** Arguments of the command for the whole campaign. */
  readonly words?: readonly string[]
  readonly variables?: Record<string, string>
}

type Run = {
  /** ISO 8601. */
  readonly at: string
  /** Abbreviated; with a `+` when the work tree had changes. */
  readonly commit: string
  readonly machine: string
  readonly minutes: number
  /** The last line that it printed. */
  readonly line: string
}

type Entry = { readonly lastPass?: Run; readonly lastFailure?: Run }

const root = fileURLToPath(new URL('..', import.meta.url))
const bun = process.execPath
const recordFile = `${root}docs/campaigns.json`

const campaigns: Readonly<Record<string, Campaign>> = {
  full: {
    does: 'long journeys on both engines: kills, storage faults, floods, every fault on every endpoint',
    command: [bun, 'scripts/run-tests.ts', 'full'],
  },
  chaos: {
    does: '20 minutes of calls under kills, freezes and a hostile upstream, on both engines side by side',
    command: [bun, 'scripts/run-chaos.ts'],
    words: ['--minutes', '20', '--crash-database'],
  },
  agents: {
    does: 'real coding agents with the recorder and on the gateway',
    command: [bun, 'agents/main.ts'],
    words: ['all'],
  },
  clients: {
    does: 'every real client: SDKs and frameworks in Python, Node, Go and Java',
    command: [bun, 'clients/run.ts'],
    words: ['all'],
  },
  deploy: {
    does: 'the files of deploy/ unchanged: nginx, Caddy, systemd, the image',
    command: [bun, 'scripts/test-deploy.ts'],
  },
  mutations: {
    does: 'planted ledger faults; a test must notice each',
    command: [bun, 'scripts/mutate-ledger.ts'],
  },
  package: {
    does: 'the npm tarballs, installed and used in an empty folder',
    command: ['node', 'scripts/test-package.mjs'],
  },
  soak: {
    does: 'an hour of steady load on two processes: memory and tables',
    command: [bun, 'bench/soak.ts'],
    variables: { BENCH_SECONDS: '3600', BENCH_PACE: '40', BENCH_PROCESSES: '2' },
  },
}

const [name = '--list', ...asked] = process.argv.slice(2)
const records: Record<string, Entry> = existsSync(recordFile)
  ? JSON.parse(readFileSync(recordFile, 'utf8'))
  : {}

if (name === '--list') list()
else {
  const campaign = campaigns[name]
  if (campaign === undefined) {
    console.error(`Unknown campaign "${name}". Choose from ${Object.keys(campaigns).join(', ')}.`)
    process.exit(2)
  }
  process.exit((await run(campaign)) ? 0 : 1)
}

async function run({ command, words = [], variables }: Campaign): Promise<boolean> {
  const chosen = asked.length > 0 ? asked : words
  const startedAt = Date.now()
  const child = Bun.spawn([...command, ...chosen], {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  const decoder = new TextDecoder()
  for await (const bytes of child.stdout) {
    process.stdout.write(bytes)
    printed = (printed + decoder.decode(bytes, { stream: true })).slice(-4000)
  }
  const passed = (await child.exited) === 0
  const outcome: Run = {
    at: new Date().toISOString(),
    commit: readCommit(),
    machine: describeMachine(),
    minutes: Math.round((Date.now() - startedAt) / 6000) / 10,
    line: Bun.stripANSI(printed).trim().split('\n').at(-1) ?? '',
  }
  if (asked.length === 0) {
    records[name] = { ...records[name], [passed ? 'lastPass' : 'lastFailure']: outcome }
    writeFileSync(recordFile, `${JSON.stringify(records, null, 2)}\n`)
  }
  console.log(`campaign ${name} ${passed ? 'passed' : 'FAILED'} in ${outcome.minutes} min: ${outcome.line}`)
  return passed
}

function list(): void {
  for (const [each, { does }] of Object.entries(campaigns)) {
    const { lastPass, lastFailure } = records[each] ?? {}
    console.log(`${each}: ${does}`)
    console.log(lastPass === undefined ? '  no recorded pass' : `  passed ${describe(lastPass)}`)
    if (lastFailure !== undefined && lastFailure.at > (lastPass?.at ?? ''))
      console.log(`  FAILED since then: ${describe(lastFailure)}`)
  }
}

function describe({ at, commit, machine, minutes, line }: Run): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC at ${commit} in ${minutes} min on ${machine}: ${line}`
}

function readCommit(): string {
  const git = (...args: string[]) =>
    Bun.spawnSync(['git', ...args], { cwd: root })
      .stdout.toString()
      .trim()
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '+'}`
}

function describeMachine(): string {
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  return `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'an unknown processor'}, ${gibibytes} GiB, ${process.platform} ${release()}`
}
