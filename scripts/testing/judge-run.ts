// Judges a test run: which failures count, which files were only flaky, and whether the run is green.
import type { FileResult } from './read-report.ts'

export type Outcome = {
  /** Totals after second runs: a test that passed alone counts as passed. */
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** `file: test` of each failure that remains. */
  readonly failures: readonly string[]
  /** `file: test` of each test that failed among others and passed alone. */
  readonly flaky: readonly string[]
  readonly flakyFiles: number
  readonly isGreen: boolean
}

/** If more files than this pass only alone, the suites or the product cannot be trusted. */
export const maxFlakyFiles = 2

/** `again`: the results of files that ran a second time, alone. */
export function judgeRun(
  first: readonly FileResult[],
  again: readonly FileResult[],
  strayErrors: number,
): Outcome {
  const second = new Map(again.map(result => [result.file, result]))
  const flakyFiles = first.filter(
    ({ file, failures }) => failures.length > 0 && second.get(file)?.failures.length === 0,
  )
  const final = first.map(result =>
    flakyFiles.includes(result) ? (second.get(result.file) ?? result) : result,
  )
  const failures = final.flatMap(({ file, failures: names }) => names.map(name => `${file}: ${name}`))
  const passed = sum(final.map(result => result.passed))
  const skipped = sum(final.map(result => result.skipped))
  const failed = failures.length + strayErrors
  return {
    passed,
    failed,
    skipped,
    failures: strayErrors > 0 ? [...failures, `${strayErrors} errors outside of any test`] : failures,
    flakyFiles: flakyFiles.length,
    flaky: flakyFiles.flatMap(({ file, failures: names }) => names.map(name => `${file}: ${name}`)),
    isGreen: failed === 0 && skipped === 0 && passed > 0 && flakyFiles.length <= maxFlakyFiles,
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
