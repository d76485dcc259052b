// A thread of the store that ends, whatever ended it: who waits is told, and so is whoever comes later.
import { expect, test } from 'bun:test'
import { classifyFailure } from '../classify-failure.ts'
import { failureOf } from '../testing/failure-of.ts'
import { startWorker } from './start-worker.ts'

const open = () =>
  startWorker({ path: ':memory:', mode: 'write' }, new URL('./testing/ending-worker.ts', import.meta.url))

// Shown to fail on the version before, where whatever came after the end waited for ever.
test.each(['throw', 'exit'])('a thread that ends (%s) leaves nobody waiting', async way => {
  const worker = await open()
  const before = failureOf(worker.run('waits', null))
  const ending = failureOf(worker.run(way, null))
  const ended = { scope: 'store', reason: 'database_unavailable', isPermanent: true } as const
  expect(classifyFailure(await ending)).toEqual(ended)
  expect(classifyFailure(await before)).toEqual(ended)
  expect(classifyFailure(await failureOf(worker.run('later', null)))).toEqual(ended)
  expect(classifyFailure(await failureOf(worker.check(null)))).toEqual(ended)
  await worker.close()
})

test('a thread that does not answer is asked nothing more, and does not keep the process from its end', async () => {
  const worker = await startWorker(
    { path: ':memory:', mode: 'write' },
    new URL('./testing/ending-worker.ts', import.meta.url),
    20,
  )
  const waiting = failureOf(worker.run('waits', null))
  const silent = { scope: 'store', reason: 'database_unavailable', isPermanent: false } as const
  expect(classifyFailure(await failureOf(worker.check(null)))).toEqual(silent)
  expect(classifyFailure(await waiting)).toEqual(silent)
  expect(classifyFailure(await failureOf(worker.run('later', null)))).toEqual(silent)
  await worker.close()
})
