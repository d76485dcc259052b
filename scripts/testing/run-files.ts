// Runs test files with `bun test` and returns the result of each.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileResult, readReport } from './read-report.ts'
import type { Suite } from './suites.ts'

export type RunOptions = {
  readonly root: string
  readonly variables: Readonly<Record<string, string>>
  /** Files at once. */
  readonly workers: number
  /** Receives the runner's output: every failure in full, as it happens. */
  readonly print: (text: string) => void
}

export type RunResult = {
  readonly files: readonly FileResult[]
  /** Errors outside of any test, which the report does not count. */
  readonly strayErrors: number
}

/** Ends a hanging test. Tests wait for events without a limit of their own. */
const hangMs = 300_000

export async function runFiles(suites: readonly Suite[], options: RunOptions): Promise<RunResult> {
  if (suites.length === 0) return { files: [], strayErrors: 0 }
  const files = suites.map(({ file }) => file)
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-tests-'))
  const report = join(folder, 'report.xml')
  const timings = join(folder, 'timings.json')
  const lengths = suites.map(({ file, seconds }) => [file, seconds * 1000])
  writeFileSync(timings, JSON.stringify({ version: 1, files: Object.fromEntries(lengths) }))
  try {
    const child = Bun.spawn(
      [
        process.execPath,
        'test',
        `--parallel=${options.workers}`,
        '--only-failures',
        // With a process per file, each loads the server again, a second of processor time: `npm test` took 5 min 23 s instead of 3 min 30 s.
        '--no-isolate',
        '--preload=./scripts/fix-property-seed.ts',
        `--timeout=${hangMs}`,
        `--timings=${timings}`,
        '--reporter=junit',
        `--reporter-outfile=${report}`,
        ...files.map(file => `./${file}`),
      ],
      {
        cwd: options.root,
        env: { ...ownEnvironment(), ...options.variables },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let printed = ''
    const relay = async (stream: ReadableStream<Uint8Array>) => {
      const decoder = new TextDecoder()
      for await (const bytes of stream) {
        const text = decoder.decode(bytes, { stream: true })
        options.print(text)
        printed = (printed + text).slice(-8000)
      }
    }
    await Promise.all([relay(child.stdout), relay(child.stderr)])
    const code = await child.exited
    const results = readReport(files, existsSync(report) ? readFileSync(report, 'utf8') : '')
    const reported = results.reduce((sum, { failures }) => sum + failures.length, 0)
    const counted = Number(/^\s*(\d+) fail$/m.exec(Bun.stripANSI(printed))?.[1] ?? 0)
    const strayErrors = Math.max(counted - reported, code !== 0 && reported === 0 ? 1 : 0, 0)
    return { files: results, strayErrors }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Keeps a developer's own settings from the servers that tests start. */
function ownEnvironment(): Record<string, string | undefined> {
  const variables = Object.entries({ ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' })
  return Object.fromEntries(
    variables.filter(([name]) => !/^(FAIRGATE_|VENDOR_|DATABASE_URL$|TEST_POSTGRES_URL$)/.test(name)),
  )
}
