// Checks what a crash would charge a stream that is being served: its last usage, and never more than was held for it.
// Shown to fail on the previous build: its row accepted any cost.
import { expect, test } from 'bun:test'
import type { UsageReport } from '../../upstream/port.ts'
import { buildProgress } from './settle.ts'
import { buildAdmitted } from './testing/build-admitted.ts'

const report = (outputTokens: number): UsageReport => ({
  kind: 'reported',
  usage: { inputTokens: 1, cachedTokens: 0, outputTokens, reasoningTokens: 0 },
})

test('progress is the usage reported so far, at most the hold', () => {
  const admitted = buildAdmitted(50_000)
  expect(buildProgress(admitted, [report(2)], 5)).toMatchObject({
    cost: 9000,
    flag: null,
    progressAt: 5,
  })
  const above = buildProgress(admitted, [report(5000), null], 5)
  expect(above).toMatchObject({ cost: 50_000, flag: 'usage_above_hold', units: {} })
  expect(JSON.parse(above?.reported ?? '{}')).toMatchObject({ cost_nano: '20001000' })
})

test('without a usage there is none', () => {
  expect(buildProgress(buildAdmitted(50_000), [null, { kind: 'invalid' }], 5)).toBeNull()
})
