// The verdict names each figure that an organiser should worry about, and says what to change.
import { expect, test } from 'bun:test'
import { judgeRehearsal, type RehearsalFigures } from './judge-rehearsal.ts'

const fast = { p50_ms: 310, p95_ms: 520, p99_ms: 600 }
const good: RehearsalFigures = {
  calls: 1000,
  streams: 300,
  refusals: { rpm_exceeded: 500 },
  refusals_of_the_loop: 500,
  failures: {},
  call: fast,
  first_token: { p50_ms: 305, p95_ms: 330, p99_ms: 400 },
  pushes: 10,
  push: fast,
  entries: 6000,
  entries_missing: 0,
  told_cost_nano: 5000,
  teams: 10,
  seconds: 60,
  is_interrupted: false,
  calls_per_second: 16,
  entries_per_second: 100,
  busiest_calls_per_second: 30,
  disk_bytes_per_hour: 1e9,
  free_disk_bytes: 1e11,
  peak_memory_bytes: 2e8,
  machine_memory_bytes: 8e9,
  money: { spend_nano: 5000, proven: true },
}

test('good figures get no remarks', () => {
  expect(judgeRehearsal(good)).toEqual({ verdict: 'ready', remarks: [] })
})

test.each<[Partial<RehearsalFigures>, string, string]>([
  [{ money: { spend_nano: 5000, proven: false } }, 'not ready', 'totals differ from the sums'],
  [{ money: { spend_nano: 5001, proven: true } }, 'not ready', 'the calls reported 5000 nano-dollars'],
  [
    { money: { spend_nano: 4999, proven: true }, is_interrupted: true },
    'not ready',
    'the calls reported 5000',
  ],
  [{ calls: 0, refusals: {}, refusals_of_the_loop: 0 }, 'not ready', 'no call was answered'],
  [{ failures: { upstream_error: 3 } }, 'not ready', 'calls or pushes failed: 3 × upstream_error'],
  [{ entries_missing: 2 }, 'not ready', '2 entries were sent but not stored'],
  [{ call: { ...fast, p95_ms: 2000 } }, 'with remarks', 'one call in twenty takes longer than 2000 ms'],
  [
    { first_token: { ...fast, p95_ms: 900 } },
    'with remarks',
    'one stream in twenty takes longer than 900 ms to begin',
  ],
  [{ push: { ...fast, p95_ms: 9000 } }, 'with remarks', 'one push in twenty takes longer'],
  [{ refusals: { model_rpm_exceeded: 600 } }, 'with remarks', '100 calls of normal teams were refused'],
  [{ disk_bytes_per_hour: 1e10 }, 'with remarks', 'the disk will be full after 10 hours'],
  [{ peak_memory_bytes: 6e9 }, 'with remarks', "more than half of this machine's memory"],
])('%p', (changes, verdict, text) => {
  const judged = judgeRehearsal({ ...good, ...changes })
  expect(judged.verdict).toBe(verdict as typeof judged.verdict)
  expect(judged.remarks.map(remark => remark.text).join('\n')).toContain(text)
  expect(judged.remarks.every(({ fix }) => fix !== '')).toBe(true)
})

test('calls that were cut off are charged, and the difference is not a fault', () => {
  const more = { spend_nano: 5100, proven: true }
  expect(judgeRehearsal({ ...good, money: more, is_interrupted: true }).verdict).toBe('ready')
})
