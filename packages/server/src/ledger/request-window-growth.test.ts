// A ring of timestamps that grows after it has turned: the oldest requests must still leave first.
import { expect, test } from 'bun:test'
import { RequestWindow } from './request-window.ts'

test('requests leave in order after the ring has wrapped and grown', () => {
  const window = new RequestWindow()
  for (let time = 0; time < 8; time += 1) window.add(time)
  // The first four have left, so the ring begins in its middle when the thirteenth request makes it grow.
  for (let count = 0; count < 5; count += 1) window.add(60_003)
  expect(window.count(60_003)).toBe(9)
  expect(window.nextFreeAt(9, 60_003)).toBe(60_004)
  expect(window.count(60_007)).toBe(5)
  expect(window.emptyAt(60_007)).toBe(120_003)
})
