// Shares the queues for scarce models between processes on one database, so that calling several processes gains a team nothing.

import type { World } from '../../world/world.ts'
import type { FairLines } from '../fair/fair-lines.ts'
import { type LinesReport, parseReport } from '../fair/lines-elsewhere.ts'
import type { RunQuery } from './admission-lane.ts'

export type ExchangeDependencies = Pick<World, 'every'> & {
  readonly lines: Pick<FairLines, 'report' | 'hear'>
  readonly run: RunQuery
  readonly processId: () => string
  readonly monotonicMs: () => number
  readonly reportFailure: (error: unknown) => void
}

/** The figures in the decision on fair shares are based on this interval. */
const reportMs = 250
/** Older reports belong to a process that has nothing left to report or is gone. */
const freshMs = 2000
/** How long rows of dead or silent processes are kept. A statement can change a row only once, so a process leaves its own row alone. */
const keptMs = 600_000

const text = `with told as (
    insert into line_reports (process_id, told_at, report) values ($1, limits_clock_1(), $2)
    on conflict (process_id) do update set told_at = excluded.told_at, report = excluded.report
  ), gone as (delete from line_reports where process_id <> $1 and told_at < limits_clock_1() - ${keptMs})
  select process_id, report from line_reports where process_id <> $1 and told_at > limits_clock_1() - ${freshMs}`

/** Queries the database only while something is short here. Without an answer, each process is fair to the calls that reach it. */
export function keepExchanging(dependencies: ExchangeDependencies): () => Promise<void> {
  const { lines, run, processId, every, monotonicMs, reportFailure } = dependencies
  let heardAt: number | null = null
  let asking: Promise<void> | null = null
  const forgetOld = () => {
    if (heardAt === null || monotonicMs() - heardAt < freshMs) return
    heardAt = null
    lines.hear(new Map())
  }
  const exchange = async (report: LinesReport): Promise<void> => {
    try {
      const rows = await run({
        name: 'exchange_line_reports',
        text,
        values: [processId(), JSON.stringify(report)],
      })
      heardAt = monotonicMs()
      lines.hear(readReports(rows))
    } catch (error) {
      reportFailure(error)
    } finally {
      asking = null
    }
  }
  const stop = every(reportMs, () => {
    forgetOld()
    const report = asking === null ? lines.report() : null
    if (report !== null) asking = exchange(report)
  })
  return async () => {
    stop()
    await asking
  }
}

function readReports(rows: readonly (readonly unknown[])[]): Map<string, LinesReport> {
  const reports = new Map<string, LinesReport>()
  for (const [processId, written] of rows) {
    const report = parseReport(JSON.parse(String(written)))
    if (report !== null) reports.set(String(processId), report)
  }
  return reports
}
