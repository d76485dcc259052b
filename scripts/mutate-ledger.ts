// Breaks the ledger on purpose, one fault at a time in a copy of the repository, and prints which test notices each.
//
// `node scripts/bun.mjs scripts/mutate-ledger.ts [part of a file or name]…` exits with 1 when a fault goes unnoticed. Faults that only
// tests on PostgreSQL notice are reported as skipped if it is not installed.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventMutations } from '../packages/server/mutations/event-mutations.ts'
import { type Edit, type Mutation, mutations } from '../packages/server/mutations/mutations.ts'
import { sharedMutations } from '../packages/server/mutations/shared-mutations.ts'
import { startPostgres } from './testing/start-postgres.ts'

type Verdict = { readonly mutation: Mutation; readonly caughtBy: string; readonly test: string }

/** Tests that run together. `tests`: parts of their names; empty for all tests of the suites. */
type Run = {
  readonly suites: readonly string[]
  readonly tests: readonly string[]
  readonly needsPostgres: boolean
}

type Failure = { readonly file: string; readonly test: string }

const root = fileURLToPath(new URL('..', import.meta.url))
const server = 'packages/server'
const source = `${server}/src`
const simulation = `${source}/limits/memory/simulation.test.ts`
/** Far more than a suite takes on a busy machine, so that only a hanging one is cut off. */
const longestMs = 300_000
/** Seeds of the simulation on PostgreSQL, so that each run plays the same histories. */
const seed = '7'
const broken = 'the suite broke'

function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'fairgate-mutations-'))
  const isSource = (path: string) => !path.split(sep).includes('node_modules')
  for (const name of ['packages', 'config', 'scripts', 'package.json', 'tsconfig.json']) {
    if (existsSync(join(root, name)))
      cpSync(join(root, name), join(copy, name), { recursive: true, filter: isSource })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** The tests that should notice, narrow ones first. */
function runsFor({ file, noticedBy }: Mutation): Run[] {
  if (noticedBy !== undefined)
    return noticedBy.map(({ suite, test, needsPostgres }) => ({
      suites: [`${server}/${suite}`],
      tests: [test],
      needsPostgres,
    }))
  return suitesFor(file).map(suites => ({ suites, tests: [], needsPostgres: false }))
}

function suitesFor(file: string): string[][] {
  if (file.startsWith('store/ledger-writer')) return [[`${source}/store/ledger-writer`]]
  if (file.startsWith('store/')) return [[`${source}/store/statements`, `${source}/store/sqlite`]]
  if (file.startsWith('start/')) return [[`${source}/start/`]]
  if (file.startsWith('gateway/')) {
    // Code that ends calls has suites by name in any folder; other code is tested next to it.
    const beside = dirname(file) === 'gateway' ? [] : [`${source}/${dirname(file)}/`]
    return [[...beside, 'holds-end', 'stream-rows']]
  }
  return [[`${source}/ledger`, `${source}/limits`], [simulation]]
}

/** The first test that fails, or null when all pass. */
async function findFailure(copy: string, { suites, tests, needsPostgres }: Run): Promise<Failure | null> {
  const without = suites.includes(simulation) ? [] : [`--path-ignore-patterns=${simulation}`]
  const named = tests.length === 0 ? [] : [`--test-name-pattern=${tests.map(escapePattern).join('|')}`]
  const command = [process.execPath, 'test', '--bail=1', '--timeout=60000', ...without, ...named, ...suites]
  const { TEST_POSTGRES_URL: _, ...own } = process.env
  const onPostgres = { TEST_POSTGRES_URL: postgres?.url, SIMULATION_SEED: seed }
  const child = Bun.spawn(command, {
    cwd: copy,
    env: { ...own, SIMULATION_SHORTENS: 'no', ...(needsPostgres ? onPostgres : {}) },
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: longestMs,
  })
  const output = await new Response(child.stderr).text()
  if ((await child.exited) === 0) return null
  const lines = output.split('\n')
  const failed = lines.findIndex(line => line.startsWith('(fail)'))
  const before = failed < 0 ? lines : lines.slice(0, failed)
  const file = before.findLast(line => line.endsWith('.test.ts:')) ?? 'unknown:'
  const unnamed = child.signalCode === null ? broken : 'the suite did not end'
  const test = failed < 0 ? unnamed : (lines[failed] ?? '').slice(7)
  return {
    file: file.slice(0, -1).replace(`${source}/`, '').replace(`${server}/`, ''),
    test: test.replace(/ \[[\d.]+ms\]$/, ''),
  }
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

async function judge(copy: string, mutation: Mutation, isSimulated: boolean): Promise<Verdict> {
  const path = join(copy, source, mutation.file)
  const intact = readFileSync(path, 'utf8')
  const edits: readonly Edit[] = [mutation, ...(mutation.also ?? [])]
  const misplaced = edits.find(({ find }) => intact.split(find).length !== 2)
  if (misplaced !== undefined)
    return { mutation, caughtBy: 'NOT APPLIED', test: `"${misplaced.find}" must occur exactly once` }
  const runs = runsFor(mutation).filter(({ needsPostgres }) => !needsPostgres || postgres !== null)
  if (runs.length === 0) return { mutation, caughtBy: 'SKIPPED', test: 'PostgreSQL is not installed' }
  writeFileSync(
    path,
    edits.reduce((text, { find, replace }) => text.replace(find, () => replace), intact),
  )
  try {
    for (const run of runs) {
      if (run.suites.includes(simulation) && !isSimulated) continue
      const failure = await findFailure(copy, run)
      if (failure === null) continue
      // A name that matches no test also fails, without anything being noticed.
      if (run.tests.length > 0 && failure.test === broken)
        return { mutation, caughtBy: 'NOT TRIED', test: `${broken}, or no test is named ${run.tests}` }
      return { mutation, caughtBy: failure.file, test: failure.test }
    }
    return { mutation, caughtBy: 'SURVIVED', test: '' }
  } finally {
    writeFileSync(path, intact)
  }
}

/** Each suite once, with all of its requested tests. */
function gatherRuns(faults: readonly Mutation[]): Run[] {
  const gathered = new Map<string, Run>()
  for (const run of faults.flatMap(runsFor)) {
    if (run.needsPostgres && postgres === null) continue
    const name = [run.needsPostgres, run.tests.length > 0, ...run.suites].join('\n')
    const tests = [...(gathered.get(name)?.tests ?? []), ...run.tests]
    gathered.set(name, { ...run, tests: [...new Set(tests)] })
  }
  return [...gathered.values()]
}

/** Checks that suites pass without any fault, or their failures would mean nothing. Only the simulation may be omitted. */
async function checkIntact(copy: string, faults: readonly Mutation[]): Promise<{ isSimulated: boolean }> {
  let isSimulated = true
  for (const run of gatherRuns(faults)) {
    const failure = await findFailure(copy, run)
    if (failure === null) continue
    if (!run.suites.includes(simulation))
      throw new Error(`A test fails without any fault: ${failure.file}: ${failure.test}`)
    isSimulated = false
    console.log('The simulation fails without any fault, so it is skipped.')
  }
  return { isSimulated }
}

function writeRow({ mutation, caughtBy, test }: Verdict): string {
  return `| ${mutation.file}: ${mutation.name} | ${caughtBy} | ${test} |`
}

const asked = process.argv.length > 2 ? process.argv.slice(2) : ['']
const chosen = [...mutations, ...sharedMutations, ...eventMutations].filter(({ file, name }) =>
  asked.some(part => `${file} ${name}`.includes(part)),
)
const isPostgresAsked = chosen.some(fault => runsFor(fault).some(({ needsPostgres }) => needsPostgres))
const postgres = isPostgresAsked ? startPostgres() : null
const copies = Array.from({ length: Math.min(4, availableParallelism()) }, copyRepository)
const waiting = [...chosen]
const verdicts: Verdict[] = []
try {
  const { isSimulated } = await checkIntact(copies[0] ?? root, chosen)
  await Promise.all(
    copies.map(async copy => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const verdict = await judge(copy, next, isSimulated)
        verdicts.push(verdict)
        console.error(`${verdicts.length} of ${chosen.length} ${writeRow(verdict)}`)
      }
    }),
  )
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
  postgres?.stop()
}
verdicts.sort((left, right) => chosen.indexOf(left.mutation) - chosen.indexOf(right.mutation))
console.log('| mutation | caught by | test name |\n| --- | --- | --- |')
for (const verdict of verdicts) console.log(writeRow(verdict))
const skipped = verdicts.filter(({ caughtBy }) => caughtBy === 'SKIPPED').length
const unnoticed = verdicts.filter(({ caughtBy }) =>
  ['SURVIVED', 'NOT APPLIED', 'NOT TRIED'].includes(caughtBy),
)
const tried = verdicts.length - skipped
console.log(`${tried - unnoticed.length} of ${tried} faults were noticed.`)
if (skipped > 0)
  console.log(`SKIPPED: ${skipped} faults that only tests on PostgreSQL notice. PostgreSQL is not installed.`)
process.exit(unnoticed.length === 0 ? 0 : 1)
