// A disk that fills up is told about in time, not every few seconds, and its end too.
import { expect, test } from 'bun:test'
import { DiskWatch } from './watch-disk.ts'

async function open(warnBelowBytes: number, ...free: (number | null)[]) {
  const told: string[] = []
  let look = () => {}
  let answered = Promise.resolve()
  const watch = await DiskWatch.start({
    readSpace: () => {
      const freeBytes = free.shift() ?? null
      const answer =
        freeBytes === null
          ? Promise.reject(new Error('ENOSYS'))
          : Promise.resolve({ freeBytes, sizeBytes: 1000 })
      answered = answer.then(
        () => undefined,
        () => undefined,
      )
      return answer
    },
    every: (_, run) => {
      look = run
      return () => told.push('stopped')
    },
    warnBelowBytes,
    warn: ({ freeBytes }) => told.push(`low ${freeBytes}`),
    reportRecovery: ({ freeBytes }) => told.push(`room ${freeBytes}`),
  })
  const lookOften = async () => {
    while (free.length > 0) {
      look()
      await answered
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  return { told, watch, lookOften }
}

test('below the bound once, then at each half, and when there is room again', async () => {
  const { told, watch, lookOften } = await open(100, 500, 99, 98, 60, 49, 30, 24, 50, 105, 111, 80)
  expect(watch.space()).toEqual({ freeBytes: 500, sizeBytes: 1000 })
  await lookOften()
  expect(told).toEqual(['low 99', 'low 49', 'low 24', 'room 111', 'low 80'])
  watch.stop()
  expect(told.at(-1)).toBe('stopped')
})

test('low at the start is told at once; 0 never warns; a system that does not say is not told about', async () => {
  expect((await open(100, 7)).told).toEqual(['low 7'])
  expect((await open(0, 0)).told).toEqual([])
  const silent = await open(100, null)
  expect(silent.told).toEqual([])
  expect(silent.watch.space()).toBeNull()
})
