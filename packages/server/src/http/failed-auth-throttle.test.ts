// Guessing credentials gets slow, per address, for a minute; memory stays bounded.
import { expect, test } from 'bun:test'
import { createFailedAuthThrottle } from './failed-auth-throttle.ts'

function openThrottle() {
  const waits: number[] = []
  let now = 0
  const slowFailure = createFailedAuthThrottle({
    clock: () => now,
    wait: async milliseconds => {
      waits.push(milliseconds)
    },
  })
  return {
    waits,
    slowFailure,
    advance: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

test('20 failures are answered at once, further ones later and later, up to 2 s', async () => {
  const { waits, slowFailure } = openThrottle()
  for (let count = 0; count < 20; count += 1) await slowFailure('a')
  expect(waits).toEqual([])
  for (let count = 0; count < 30; count += 1) await slowFailure('a')
  expect(waits.slice(0, 3)).toEqual([100, 200, 300])
  expect(Math.max(...waits)).toBe(2000)
  await slowFailure('b')
  await slowFailure(null)
  expect(waits).toHaveLength(30)
})

test('a minute later the address starts again', async () => {
  const { waits, slowFailure, advance } = openThrottle()
  for (let count = 0; count < 21; count += 1) await slowFailure('a')
  advance(60_000)
  await slowFailure('a')
  expect(waits).toEqual([100])
})

test('the address that has been quiet longest is forgotten if there are too many', async () => {
  const { waits, slowFailure, advance } = openThrottle()
  await slowFailure('first')
  advance(1)
  for (let count = 0; count < 20; count += 1) await slowFailure('old')
  for (let count = 0; count < 20; count += 1) await slowFailure('busy')
  for (let index = 0; index < 9_999; index += 1) await slowFailure(`address-${index}`)
  // From here on the failures of all addresses are counted from zero, those of each are not yet.
  advance(59_999)
  waits.length = 0
  await slowFailure('busy')
  expect(waits).toEqual([100])
  await slowFailure('old')
  expect(waits).toEqual([100])
})

test('if all addresses together fail often, every failure waits', async () => {
  const { waits, slowFailure } = openThrottle()
  for (let address = 0; address < 200; address += 1) await slowFailure(`192.0.2.${address}`)
  expect(waits).toEqual([])
  await slowFailure('198.51.100.1')
  await slowFailure('198.51.100.2')
  expect(waits).toEqual([100, 200])
})
