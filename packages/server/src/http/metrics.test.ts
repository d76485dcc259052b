// Checks the figures of a scrape.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createMetrics, type DiskFigures } from './metrics.ts'

test('a scrape has every figure that was recorded', () => {
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
  metrics.watch({ limits: () => ({ heldNanoDollars: 1_500_000_000, holds: 3, slots: 4 }) })
  const text = metrics.render()
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

/** As prom-client 15.1.3 wrote it for this history: dashboards go by these names, labels and buckets. */
const expected = readFileSync(new URL('__fixtures__/scrape.txt', import.meta.url), 'utf8')

test('the text of a scrape is the one that dashboards expect, byte for byte', () => {
  const metrics = createMetrics({
    residentBytes: () => 123_456_789,
    maximumDescriptors: 1024,
    openDescriptors: () => 17,
  })
  const chat = { door: 'gateway', route: '/v1/chat/completions' }
  metrics.observeRequest({ ...chat, status: 200, seconds: 0.02 })
  metrics.observeRequest({ door: 'admin', route: 'unmatched', status: 404, seconds: 0.0001 })
  metrics.observeRequest({ ...chat, status: 429, seconds: 1000 })
  metrics.observeRequest({ ...chat, status: 200, seconds: 0.005 })
  metrics.observeUpstream(15)
  metrics.observeUpstream(0.1)
  const units = { input: 10, output: 5, reasoning: 0, cached: undefined }
  metrics.observeCharge('mm-2.5-flash', units, 2_500_000, null)
  metrics.observeCharge('other "model"\\\n', { output: 1 }, 1, 'estimated')
  metrics.observeCharge('mm-2.5-flash', { input: 3 }, 100, 'usage_absent')
  metrics.observeRefund('video', 5_000_000_000)
  metrics.observeRefusal('rpm_exceeded', 'team')
  metrics.observeRefusal('rpm_exceeded', 'team')
  metrics.observeRefusal('budget_exceeded', 'key')
  metrics.observeBodyRefusal('gateway', 'key')
  metrics.observeCutStream('stalled')
  metrics.observeEntries('stored', 500)
  metrics.observeEntries('duplicate', 0)
  metrics.observeCommit(12, 0.003)
  metrics.observeCommit(2000, 0.3)
  for (const outcome of ['ok', 'upstream_error']) metrics.countTry('vendor', outcome)
  metrics.countTry('local', 'ok')
  metrics.watch({
    keys: () => [
      { upstream: 'vendor', key: 'a1', isResting: false },
      { upstream: 'vendor', key: 'b2', isResting: true },
    ],
  })
  metrics.countTry('vendor', 'ok')
  metrics.watch({ limits: () => ({ heldNanoDollars: 1_500_000_000, holds: 3, slots: 4 }) })
  metrics.watchBodies('gateway', { bytesInFlight: () => 1000, waiting: () => 2 })
  metrics.watchBodies('logbook', { bytesInFlight: () => 0, waiting: () => 0 })
  let failure: string | null = 'disk_full'
  metrics.watch({ storeFailure: () => failure, unwritten: () => 7 })
  let space: DiskFigures | null = { freeBytes: 1e9, sizeBytes: 2e12 }
  const spendCheck = () => ({ wrongTotals: 2, at: 1_795_000_000_000 })
  metrics.watch({ disk: () => space, droppedLines: () => 3, spendCheck })
  expect(metrics.render()).toBe(expected)
  failure = null
  space = null
  expect(metrics.render()).not.toMatch(/disk_full|^fairgate_disk_/m)
})

test('two sets of metrics do not share a registry', () => {
  createMetrics().observeRefusal('rpm_exceeded', 'team')
  expect(createMetrics().render()).not.toContain('rpm_exceeded')
})
