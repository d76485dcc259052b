// Left and spent add up at every point, and the forecast ends when the money does.
import { expect, test } from 'bun:test'
import { chooseStep, drawBurnDown, drawForecast, drawSpend } from './burn-down.ts'

const step = 300_000
const steps = [
  { at: 0, nano: 10 },
  { at: 2 * step, nano: 5 },
]

test('the remaining budget is counted back from now', () => {
  const points = drawBurnDown(steps, { from: 0, now: 4 * step, stepMs: step, left: 85 })
  expect(points[0]).toEqual({ at: 0, value: 100 })
  expect(points.at(-1)).toEqual({ at: 4 * step, value: 85 })
  expect(points.find(({ at }) => at === step)?.value).toBe(90)
  expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).toSorted((a, b) => a - b))
})

test('the current step ends now', () => {
  const points = drawBurnDown([{ at: 0, nano: 10 }], { from: 0, now: 100, stepMs: step, left: 5 })
  expect(points.at(-1)).toEqual({ at: 100, value: 5 })
  expect(Math.max(...points.map(({ at }) => at))).toBe(100)
})

test('spend grows from zero', () => {
  const points = drawSpend(steps, { from: 0, now: 4 * step, stepMs: step })
  expect(points[0]?.value).toBe(0)
  expect(points.at(-1)).toEqual({ at: 4 * step, value: 15 })
})

test('a forecast ends at zero or with the phase, or is empty', () => {
  const hour = 3_600_000
  expect(drawForecast({ now: 0, until: 10 * hour, left: 20, paceNanoH: 10 }).at(-1)).toEqual({
    at: 2 * hour,
    value: 0,
  })
  expect(drawForecast({ now: 0, until: hour, left: 20, paceNanoH: 10 }).at(-1)).toEqual({
    at: hour,
    value: 10,
  })
  expect(drawForecast({ now: 0, until: hour, left: 20, paceNanoH: null })).toEqual([])
  expect(drawForecast({ now: 0, until: hour, left: 0, paceNanoH: 5 })).toEqual([])
})

test('longer ranges have longer steps', () => {
  expect(chooseStep(3_600_000).name).toBe('5m')
  expect(chooseStep(48 * 3_600_000).name).toBe('30m')
  expect(chooseStep(400 * 86_400_000).name).toBe('1d')
})
