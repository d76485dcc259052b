// Operators get a warning about usage that was not charged as is, and can count such charges.
import { expect, test } from 'bun:test'
import { createMetrics } from '../http/metrics.ts'
import { meter } from './flow/meter.ts'
import { buildAdmitted } from './flow/testing/build-admitted.ts'
import { watchCharges } from './watch-charges.ts'

test('the warning names call, team, model, hold and report; each flag has its own count', async () => {
  const lines: object[] = []
  const metrics = createMetrics()
  const watch = watchCharges(metrics, { warn: (fields: object) => void lines.push(fields) } as never)
  const usage = { inputTokens: 5, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 }
  watch(meter(buildAdmitted(90_000), [{ kind: 'reported', usage }]))
  watch(meter(buildAdmitted(90_000), [{ kind: 'absent' }]))
  expect(lines).toEqual([])
  watch(meter(buildAdmitted(4000), [{ kind: 'reported', usage }]))
  expect(lines).toMatchObject([
    {
      call_id: 'call-1',
      team_id: 'team-1',
      model: 'model-1',
      held_nano: 4000,
      flag: 'usage_above_hold',
      reported: expect.stringContaining('"cost_nano":"5000"'),
    },
  ])
  const text = metrics.render()
  expect(text).toContain('fairgate_charges_flagged_total{flag="usage_absent"} 1')
  expect(text).toContain('fairgate_charges_flagged_total{flag="usage_above_hold"} 1')
})
