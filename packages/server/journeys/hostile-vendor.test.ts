// A vendor that does all it must not: each fault on each endpoint, and every reply is whole, shaped, charged at most its hold, and silent about secrets.
// Shown to fail on the build before the faults were fixed: 84 faults broke a promise, "usage-billions on embeddings: charged 750 of a hold of 0.00002" among them.
import { expect, test } from 'bun:test'
import { faults } from '@fairgate/sandbox/hostile/fault-table.ts'
import type { Fault } from '@fairgate/sandbox/hostile/script.ts'
import { endpoints } from './testing/hostile/endpoints.ts'
import { startHostileFairgate } from './testing/hostile/hostile-fairgate.ts'
import { pairUp, runTable, type TableOptions } from './testing/hostile/run-table.ts'

/** FAULT=usage plays only those whose name begins so. */
const wantedName = process.env.FAULT ?? ''

async function play(isWanted: (fault: Fault) => boolean, settings: string, options: TableOptions) {
  const chosen = Object.fromEntries(Object.entries(faults).filter(([name]) => name.startsWith(wantedName)))
  const plays = pairUp(endpoints, chosen, isWanted)
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

test('what ends by itself', async () => {
  const report = await play(
    ({ endless }) => endless === undefined,
    'upstream: { timeout_seconds: 20, max_retries: 0 }',
    {
      atOnce: 24,
      longestMs,
      watchMs: 1500,
    },
  )
  // 24 calls at once; replies alone may take 512 MiB together. full/hostile-floods.test.ts has the tight bounds.
  expect(report.mostResidentMegabytes).toBeLessThan(1100)
}, 900_000)

test('what says next to nothing and never ends', async () => {
  await play(
    ({ endless }) => endless === 'silent',
    'upstream: { timeout_seconds: 3, timeouts: { videos: 3 }, max_retries: 0 }',
    { atOnce: 60, longestMs, watchMs: 1500 },
  )
}, 900_000)
