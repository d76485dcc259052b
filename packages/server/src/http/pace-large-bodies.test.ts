// Large bodies are worked on one after the other, with room for others between; small ones never wait.
import { expect, test } from 'bun:test'
import { createPaceLargeBodies } from './pace-large-bodies.ts'

function openPace() {
  const waits: number[] = []
  let now = 0
  const pace = createPaceLargeBodies({
    stopwatch: () => now,
    wait: async milliseconds => waits.push(milliseconds),
  })
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { pace, waits, pass }
}

// Fails when `freeAt` stays where it is.
test('each of several large bodies waits for those before it', async () => {
  const { pace, waits } = openPace()
  await Promise.all([pace(8_000_000), pace(8_000_000), pace(16_000_000), pace(8_000_000)])
  expect(waits).toEqual([100, 200, 400])
})

test('a body that comes when the others are done waits for nobody', async () => {
  const { pace, waits, pass } = openPace()
  await pace(8_000_000)
  pass(100)
  await pace(8_000_000)
  expect(waits).toEqual([])
})

test('small bodies pass, and keep nobody waiting', async () => {
  const { pace, waits } = openPace()
  await pace(16_000_000)
  for (let count = 0; count < 100; count += 1) await pace(1_000_000)
  await pace(8_000_000)
  expect(waits).toEqual([200])
})
