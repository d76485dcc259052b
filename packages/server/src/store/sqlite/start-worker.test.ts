// A thread of the store that ends for any reason: waiting callers get an error, and so do later ones.
import { expect, test } from 'bun:test'
import { classifyFailure } from '../classify-failure.ts'
import { failureOf } from '../testing/failure-of.ts'
import { startWorker } from './start-worker.ts'

const open = () =>
  startWorker({ path: ':memory:', mode: 'write' }, new URL('./testing/ending-worker.ts', import.meta.url))

// Fails on the previous version, which let everything that came after the end wait forever.
test.each(['throw', 'exit'])('a thread that ends (%s) fails all waiting requests', async way => {
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

test('a thread that does not answer gets no more requests, and does not keep the process from ending', async () => {
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
