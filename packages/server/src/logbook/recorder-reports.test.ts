// Recorder reports are available at once, written at most once a minute each, and not lost at a stop.
import { expect, test } from 'bun:test'
import type { SeenRecorder } from '../store/statements/recorders.ts'
import { RecorderReports } from './recorder-reports.ts'

const caller = { teamId: 'red', tokenId: 'lt_1' }
const report = (unsent: number, clone = '1a2b3c4d') =>
  `version=0.1.0; clone=${clone}; unsent=${unsent}; oldest=60; sent=400`

function createWorld() {
  const world = { now: 1_000_000, isDown: false, failures: 0 }
  const written: SeenRecorder[][] = []
  let tick = () => undefined as unknown
  const reports = new RecorderReports({
    noteRecorders: async ({ recorders }) => {
      if (world.isDown) throw new Error('away')
      written.push([...recorders])
    },
    listRecorders: async () => written.flat(),
    clock: () => world.now,
    every: (_, run) => {
      tick = run
      return () => {
        tick = () => undefined
      }
    },
    reportFailure: () => {
      world.failures += 1
    },
  })
  /** Time passes, and due reports are written. */
  const pass = async (milliseconds: number) => {
    world.now += milliseconds
    tick()
    await reports.list('red')
    await Promise.resolve()
  }
  return { world, written, reports, pass }
}

test('the newest report is known at once, and written at most once a minute', async () => {
  const { reports, written, pass } = createWorld()
  reports.note(caller, report(5))
  expect(await reports.list('red')).toMatchObject([
    { unsent: 5, oldestAt: 940_000, clockBehindMs: 600_000, seenAt: 1_000_000 },
  ])
  expect(await reports.list('blue')).toEqual([])
  await pass(10_000)
  expect(written).toHaveLength(1)
  for (const unsent of [4, 3, 2]) {
    reports.note(caller, report(unsent))
    await pass(10_000)
  }
  expect(written).toHaveLength(1)
  expect(await reports.list('red')).toMatchObject([{ unsent: 2 }])
  await pass(30_000)
  expect(written.slice(1)).toMatchObject([[{ unsent: 2 }]])
  await pass(60_000)
  expect(written).toHaveLength(2)
})

test('a report that another process wrote later is newer', async () => {
  const { reports, written, world } = createWorld()
  reports.note(caller, report(5))
  const [own] = await reports.list('red')
  if (own !== undefined) written.push([{ ...own, unsent: 1, seenAt: world.now + 5 }])
  expect(await reports.list('red')).toMatchObject([{ unsent: 1 }])
})

test('a failed write is retried, and a stop writes the rest', async () => {
  const { reports, written, pass, world } = createWorld()
  world.isDown = true
  reports.note(caller, report(5))
  await pass(10_000)
  expect(world.failures).toBe(1)
  world.isDown = false
  await pass(60_000)
  expect(written).toMatchObject([[{ unsent: 5 }]])
  reports.note(caller, report(4))
  await reports.stop()
  expect(written.slice(1)).toMatchObject([[{ unsent: 4 }]])
})

test('skips reports that no recorder writes', async () => {
  const { reports } = createWorld()
  for (const text of [null, '', 'nonsense', report(1, 'nothex')]) reports.note(caller, text)
  expect(await reports.list('red')).toEqual([])
})
