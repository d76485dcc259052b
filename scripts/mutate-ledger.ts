// Breaks the ledger on purpose, one fault at a time in a copy of the repository, and shows which test notices each.
//
// `node scripts/bun.mjs scripts/mutate-ledger.ts [part of a file or name]` ends with 1 when a fault goes unnoticed.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Mutation, mutations } from '../packages/server/src/ledger/testing/mutations.ts'

type Verdict = { readonly mutation: Mutation; readonly caughtBy: string; readonly test: string }

const root = fileURLToPath(new URL('..', import.meta.url))
const source = 'packages/server/src'
const simulation = `${source}/limits/memory/simulation.test.ts`
const texts = `${source}/ledger/testing/mutations.test.ts`
/** Far more than a suite takes on a busy machine: only one that does not end is cut off. */
const longestMs = 300_000

function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'fairgate-mutations-'))
  const isSource = (path: string) => !path.split(sep).includes('node_modules')
  for (const name of ['packages', 'config', 'package.json', 'tsconfig.json']) {
    if (existsSync(join(root, name)))
      cpSync(join(root, name), join(copy, name), { recursive: true, filter: isSource })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** The tests that ought to notice, the narrow ones first. */
function suitesFor(file: string): string[][] {
  if (file.startsWith('store/ledger-writer')) return [[`${source}/store/ledger-writer`]]
  if (file.startsWith('store/')) return [[`${source}/store/statements`, `${source}/store/sqlite`]]
  if (file.startsWith('start/')) return [[`${source}/start/`]]
  if (file.startsWith('gateway/')) {
    // What ends calls has suites by name, wherever they stand; the rest is tested beside it.
    const beside = dirname(file) === 'gateway' ? [] : [`${source}/${dirname(file)}/`]
    return [[...beside, 'holds-end', 'stream-rows']]
  }
  return [[`${source}/ledger`, `${source}/limits`], [simulation]]
}

/** The first test that fails, or null when all pass. */
async function findFailure(
  copy: string,
  suites: readonly string[],
): Promise<{ file: string; test: string } | null> {
  const isSimulation = suites.includes(simulation)
  // The test of the faults' texts notices every fault that is planted, and nothing of what it does.
  const left = isSimulation ? [texts] : [texts, simulation]
  const without = left.map(path => `--path-ignore-patterns=${path}`)
  const command = [process.execPath, 'test', '--bail=1', '--timeout=60000', ...without, ...suites]
  const child = Bun.spawn(command, { cwd: copy, stdout: 'ignore', stderr: 'pipe', timeout: longestMs })
  const output = await new Response(child.stderr).text()
  if ((await child.exited) === 0) return null
  const lines = output.split('\n')
  const failed = lines.findIndex(line => line.startsWith('(fail)'))
  const before = failed < 0 ? lines : lines.slice(0, failed)
  const file = before.findLast(line => line.endsWith('.test.ts:')) ?? 'unknown:'
  const test = failed < 0 ? 'the suite broke or did not end' : (lines[failed] ?? '').slice(7)
  return { file: file.slice(0, -1).replace(`${source}/`, ''), test: test.replace(/ \[[\d.]+ms\]$/, '') }
}

async function judge(copy: string, mutation: Mutation, isSimulated: boolean): Promise<Verdict> {
  const path = join(copy, source, mutation.file)
  const intact = readFileSync(path, 'utf8')
  if (intact.split(mutation.find).length !== 2) {
    return { mutation, caughtBy: 'NOT APPLIED', test: `"${mutation.find}" must stand exactly once` }
  }
  writeFileSync(
    path,
    intact.replace(mutation.find, () => mutation.replace),
  )
  try {
    for (const suites of suitesFor(mutation.file)) {
      if (suites.includes(simulation) && !isSimulated) continue
      const failure = await findFailure(copy, suites)
      if (failure !== null) return { mutation, caughtBy: failure.file, test: failure.test }
    }
    return { mutation, caughtBy: 'SURVIVED', test: '' }
  } finally {
    writeFileSync(path, intact)
  }
}

/** Nothing can be told from a suite that fails without any fault; the simulation alone may be left out. */
async function checkIntact(copy: string, faults: readonly Mutation[]): Promise<{ isSimulated: boolean }> {
  const suites = new Set(faults.flatMap(({ file }) => suitesFor(file).map(paths => paths.join('\n'))))
  let isSimulated = true
  for (const paths of suites) {
    const failure = await findFailure(copy, paths.split('\n'))
    if (failure === null) continue
    if (paths !== simulation) throw new Error(`Fails without a fault: ${failure.file}: ${failure.test}`)
    isSimulated = false
    console.log('The simulation fails without a fault, so it is left out.')
  }
  return { isSimulated }
}

const asked = process.argv[2] ?? ''
const chosen = mutations.filter(({ file, name }) => `${file} ${name}`.includes(asked))
const copies = Array.from({ length: Math.min(4, availableParallelism()) }, copyRepository)
const waiting = [...chosen]
const verdicts: Verdict[] = []
try {
  const { isSimulated } = await checkIntact(copies[0] ?? root, chosen)
  await Promise.all(
    copies.map(async copy => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        verdicts.push(await judge(copy, next, isSimulated))
    }),
  )
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
}
verdicts.sort((left, right) => chosen.indexOf(left.mutation) - chosen.indexOf(right.mutation))
console.log('| mutation | caught by | test name |\n| --- | --- | --- |')
for (const { mutation, caughtBy, test } of verdicts)
  console.log(`| ${mutation.file}: ${mutation.name} | ${caughtBy} | ${test} |`)
const unnoticed = verdicts.filter(({ caughtBy }) => caughtBy === 'SURVIVED' || caughtBy === 'NOT APPLIED')
console.log(`${verdicts.length - unnoticed.length} of ${verdicts.length} faults were noticed.`)
process.exit(unnoticed.length === 0 ? 0 : 1)
