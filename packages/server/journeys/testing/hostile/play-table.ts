// Plays the hostile table for its tests: own server and vendor, the selected faults, and the checks afterwards.
import { expect } from 'bun:test'
import { faults } from '@fairgate/sandbox/hostile/fault-table.ts'
import type { Fault } from '@fairgate/sandbox/hostile/script.ts'
import { endpoints } from './endpoints.ts'
import { startHostileFairgate } from './hostile-fairgate.ts'
import { type Play, pairUp, runTable, type TableOptions, type TableReport } from './run-table.ts'

/** FAULT=usage plays only faults with names that begin with it, on every endpoint that they affect. */
const wantedName = process.env.FAULT ?? ''

type TablePlan = {
  readonly isWanted: (fault: Fault) => boolean
  readonly settings: string
  /** By default, every pair of fault and endpoint. */
  readonly choose?: (plays: readonly Play[]) => readonly Play[]
}

async function playTable(plan: TablePlan, options: TableOptions): Promise<TableReport> {
  const { isWanted, settings, choose = pairs => pairs } = plan
  const chosen = Object.fromEntries(Object.entries(faults).filter(([name]) => name.startsWith(wantedName)))
  const all = pairUp(endpoints, chosen, isWanted)
  const plays = wantedName === '' ? choose(all) : all
  const fairgate = await startHostileFairgate(settings)
  try {
    const report = await runTable(fairgate, plays, options)
    const { holds, slots } = await fairgate.idleFigures()
    const { trapped } = fairgate.vendor.log()
    const { violations, replies } = report
    expect({ violations, replies, holds, slots, trapped }).toEqual({
      violations: [],
      replies: plays.length,
      holds: 0,
      slots: 0,
      trapped: 0,
    })
    return report
  } finally {
    expect(await fairgate.stop()).toBe(0)
  }
}

/** Far beyond the time limits of the server: only a call that never ends takes so long, even on a busy machine. */
const longestMs = 240_000

/** Faults that end by themselves. 24 calls at once; replies alone may take 512 MiB together. full/hostile-floods.test.ts has the tight bounds. */
export async function playFaultsThatEnd(choose?: TablePlan['choose']): Promise<void> {
  const report = await playTable(
    {
      isWanted: ({ endless }) => endless === undefined,
      settings: 'upstream: { timeout_seconds: 20, max_retries: 0 }',
      ...(choose === undefined ? {} : { choose }),
    },
    { atOnce: 24, longestMs, watchMs: 1500 },
  )
  expect(report.maxResidentMegabytes).toBeLessThan(1100)
}

/** Faults that send almost nothing and never end. */
export async function playSilentFaults(choose?: TablePlan['choose']): Promise<void> {
  await playTable(
    {
      isWanted: ({ endless }) => endless === 'silent',
      settings: 'upstream: { timeout_seconds: 3, timeouts: { videos: 3 }, max_retries: 0 }',
      ...(choose === undefined ? {} : { choose }),
    },
    { atOnce: 60, longestMs, watchMs: 1500 },
  )
}

/** Faults of both kinds on the chosen endpoints, on one server. */
export async function playSomeFaults(choose: TablePlan['choose'] & object): Promise<void> {
  const report = await playTable(
    {
      isWanted: ({ endless }) => endless !== 'flood',
      settings: 'upstream: { timeout_seconds: 10, timeouts: { videos: 10 }, max_retries: 0 }',
      choose,
    },
    { atOnce: 48, longestMs, watchMs: 500 },
  )
  expect(report.maxResidentMegabytes).toBeLessThan(1100)
}
