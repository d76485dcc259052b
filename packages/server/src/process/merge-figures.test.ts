// One scrape over multiple processes.
import { expect, test } from 'bun:test'
import { Counter, Gauge, Histogram, renderFamilies } from '../http/metric-series.ts'
import { mergeFigures } from './merge-figures.ts'

function countedBy(calls: Readonly<Record<string, number>>, memory: number, seconds: readonly number[]) {
  const requests = new Counter('requests_total', 'Requests.', ['status'])
  for (const [status, count] of Object.entries(calls)) requests.add(count, status)
  const duration = new Histogram('seconds', 'Time.', [0.1, 1])
  for (const each of seconds) duration.observe(each)
  const resident = new Gauge('memory_bytes', 'Memory.', () => memory)
  const keys = new Gauge('key_rests', 'Keys.', () => [{ labels: { key: 'a"b' }, value: 1 }])
  return [requests, duration, resident, keys].map(metric => metric.read())
}

test('counters and histograms are summed, gauges carry their process number', () => {
  const first = { number: 1, families: countedBy({ 200: 3, 429: 1 }, 100, [0.05, 5]), isCurrent: true }
  const second = { number: 2, families: countedBy({ 200: 4, 503: 2 }, 200, [0.5]), isCurrent: true }
  expect(renderFamilies(mergeFigures([first, second]))).toBe(
    `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{status="200"} 7
requests_total{status="429"} 1
requests_total{status="503"} 2

# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{le="0.1"} 1
seconds_bucket{le="1"} 2
seconds_bucket{le="+Inf"} 3
seconds_sum 5.55
seconds_count 3

# HELP memory_bytes Memory.
# TYPE memory_bytes gauge
memory_bytes{process="1"} 100
memory_bytes{process="2"} 200

# HELP key_rests Keys.
# TYPE key_rests gauge
key_rests{process="1",key="a\\"b"} 1
key_rests{process="2",key="a\\"b"} 1
`,
  )
})

test('counts of ended processes stay in the sum, and their gauges disappear', () => {
  const ended = mergeFigures([{ number: 1, families: countedBy({ 200: 3 }, 100, [0.5]), isCurrent: false }])
  const again = { number: 1, families: countedBy({ 200: 1 }, 300, []), isCurrent: true }
  const text = renderFamilies(mergeFigures([again], ended))
  expect(text).toContain('requests_total{status="200"} 4\n')
  expect(text).toContain('seconds_count 1\n')
  expect(text).toContain('memory_bytes{process="1"} 300\n')
  expect(text).not.toContain('memory_bytes{process="0"}')
})

test('a process that does not answer keeps its last counts, but shows no gauges', () => {
  const silent = { number: 2, families: countedBy({ 200: 4 }, 200, []), isCurrent: false }
  const text = renderFamilies(
    mergeFigures([{ number: 1, families: countedBy({ 200: 3 }, 100, []), isCurrent: true }, silent]),
  )
  expect(text).toContain('requests_total{status="200"} 7\n')
  expect(text).not.toContain('process="2"')
})
