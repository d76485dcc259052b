// The figures that a scrape shows.
import { expect, test } from 'bun:test'
import { createMetrics } from './metrics.ts'

test('a scrape has every figure that was recorded', async () => {
  const metrics = createMetrics()
  metrics.observeRequest({ door: 'gateway', route: '/v1/chat/completions', status: 200, seconds: 0.02 })
  metrics.observeUpstream(15)
  metrics.observeCharge(
    'mm-2.5-flash',
    { input: 10, output: 5, reasoning: 0, cached: undefined },
    2_500_000,
    null,
  )
  metrics.observeRefusal('rpm_exceeded', 'team')
  metrics.observeEntries('stored', 500)
  metrics.observeEntries('duplicate', 0)
  metrics.observeCommit(12, 0.003)
  metrics.watchLimits(() => ({ heldNanoDollars: 1_500_000_000, holds: 3, slots: 4 }))
  const text = await metrics.render()
  for (const line of [
    'fairgate_requests_total{door="gateway",route="/v1/chat/completions",status="200"} 1',
    'fairgate_request_seconds_bucket{le="0.025",door="gateway",route="/v1/chat/completions"} 1',
    'fairgate_upstream_seconds_sum 0.015',
    'fairgate_tokens_total{kind="input",model="mm-2.5-flash"} 10',
    'fairgate_cost_usd_total{model="mm-2.5-flash"} 0.0025',
    'fairgate_refusals_total{code="rpm_exceeded",level="team"} 1',
    'fairgate_ingest_entries_total{outcome="stored"} 500',
    'fairgate_charge_commit_rows_sum 12',
    'fairgate_charge_commit_seconds_count 1',
    'fairgate_holds 3',
    'fairgate_held_usd 1.5',
    'fairgate_running_slots 4',
  ]) {
    expect(text).toContain(`${line}\n`)
  }
  expect(text).toMatch(/fairgate_resident_memory_bytes \d{7,}/)
  expect(text).not.toContain('reasoning')
})

test('two sets of metrics do not share a registry', async () => {
  createMetrics().observeRefusal('rpm_exceeded', 'team')
  expect(await createMetrics().render()).not.toContain('rpm_exceeded')
})
