// Checks what is tried again: refusals before any work, with growing and spread delays, and never later than callers would wait.
import { expect, test } from 'bun:test'
import { decideRetry } from './upstream-failure.ts'

const fault = (status: number | null, askedDelayMs: number | null = null) => ({ status, askedDelayMs })

test.each([null, 429, 500, 502, 503])('%p is tried again', status => {
  expect(decideRetry(fault(status), 0, 0)).toBe(125)
  expect(decideRetry(fault(status), 0, 0.5)).toBe(187.5)
  expect(decideRetry(fault(status), 1, 0)).toBe(250)
})

test.each([400, 401, 403, 404, 408, 501, 504])('%p is not', status => {
  expect(decideRetry(fault(status), 0, 0)).toBeNull()
})

test('the requested wait is respected, unless it is too long', () => {
  expect(decideRetry(fault(429, 100), 0, 0)).toBe(100)
  expect(decideRetry(fault(429, 4000), 1, 0.9)).toBe(4000)
  expect(decideRetry(fault(429, 4001), 0, 0)).toBeNull()
})
