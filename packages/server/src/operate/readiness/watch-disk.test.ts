// A disk that fills up is reported in time, not every few seconds, and so is its end.
import { expect, test } from 'bun:test'
import { openDiskWatch } from './watch-disk.ts'

const mebibyte = 1024 * 1024

/** All sizes in MiB. */
async function open(warn_free_mebibytes: number, ...free: (number | null)[]) {
  const reported: string[] = []
  let look = () => {}
  let answered = Promise.resolve()
  const report =
    (what: string) =>
    ({ free_bytes }: { readonly free_bytes?: number }) =>
      void reported.push(`${what} ${(free_bytes ?? 0) / mebibyte}`)
  const stops: (() => unknown)[] = []
  const watch = await openDiskWatch(
    {
      config: { dataFolder: '/data', settings: { warn_free_mebibytes } },
      every: (_, run) => {
        look = run
        return () => void reported.push('stopped')
      },
      metrics: { watch: () => undefined },
      log: { warn: report('low'), info: report('room') },
      onStop: stop => stops.push(stop),
    },
    () => {
      const space = free.shift() ?? null
      const answer =
        space === null
          ? Promise.reject(new Error('ENOSYS'))
          : Promise.resolve({ freeBytes: space * mebibyte, sizeBytes: 1000 * mebibyte })
      answered = answer.then(
        () => undefined,
        () => undefined,
      )
      return answer
    },
  )
  const lookOften = async () => {
    while (free.length > 0) {
      look()
      await answered
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  return { reported, watch, lookOften, stop: () => stops[0]?.() }
}

test('below the limit once, then at each half, and when there is space again', async () => {
  const { reported, watch, lookOften, stop } = await open(100, 500, 99, 98, 60, 49, 30, 24, 50, 105, 111, 80)
  expect(watch.space()).toEqual({ freeBytes: 500 * mebibyte, sizeBytes: 1000 * mebibyte })
  await lookOften()
  expect(reported).toEqual(['low 99', 'low 49', 'low 24', 'room 111', 'low 80'])
  stop()
  expect(reported.at(-1)).toBe('stopped')
})

test('little space at startup is reported at once; 0 never warns; an unknown size is not reported', async () => {
  expect((await open(100, 7)).reported).toEqual(['low 7'])
  expect((await open(0, 0)).reported).toEqual([])
  const silent = await open(100, null)
  expect(silent.reported).toEqual([])
  expect(silent.watch.space()).toBeNull()
})
