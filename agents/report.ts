// What the runs print, and how they end: a line per check, and the totals.

export type Check = {
  readonly name: string
  /** What was wrong; null when nothing was. */
  readonly fault: string | null
}

export type Report = ReturnType<typeof createReport>

export function createReport() {
  const totals = { passed: 0, failed: 0, skipped: 0 }
  return {
    check: (title: string, { name, fault }: Check) => {
      totals[fault === null ? 'passed' : 'failed'] += 1
      console.log(`${fault === null ? 'ok     ' : 'FAILED '} ${title}: ${name}`)
      if (fault !== null) console.log(`    ${fault}`)
    },
    skip: (line: string) => {
      totals.skipped += 1
      console.log(`skipped ${line}`)
    },
    /** Prints the totals; answers the exit code. */
    end: (): number => {
      console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
      return totals.failed > 0 || totals.passed === 0 ? 1 : 0
    },
  }
}

/** Null when both are the same; the order of members counts. */
export function compare(found: unknown, wanted: unknown): string | null {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)]
  return left === right ? null : `${left}, not ${right}`
}
