// Checks what operators see of a failing upstream: every failure counted, one line a second of each kind, and never a key.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { createUpstreamReports, describeTry } from './upstream-tries.ts'

const secret = 'AIza-upstream-secret-4711'

function open() {
  const lines: unknown[] = []
  const counts: string[] = []
  let now = 0
  const reports = createUpstreamReports({
    log: {
      warn: (...line: unknown[]) => lines.push(line[0]),
      info: (...line: unknown[]) => lines.push(line[0]),
    },
    count: (upstream, outcome) => counts.push(`${upstream} ${outcome}`),
    monotonicMs: () => now,
  })
  const report = reports.tryOf('own')
  const fail = (error: ApiError, status: number | null = 500) =>
    report(describeTry({ endpoint: 'chat', secret, status }, error, { willRetry: true }))
  return { lines, counts, report, reports, fail, pass: (ms: number) => (now += ms) }
}

test('a failure is a line with upstream, key, status and cause; the next in the same second are only counted', () => {
  const { lines, counts, fail, pass } = open()
  const error = new ApiError('upstream_error', { cause: new TypeError(`No route, ${secret}`) })
  for (let call = 0; call < 5; call += 1) fail(error)
  fail(new ApiError('upstream_rate_limited'), 429)
  expect(lines).toEqual([
    {
      upstream: 'own',
      upstream_key: '…4711',
      endpoint: 'chat',
      status: 500,
      outcome: 'upstream_error',
      cause: 'The model provider failed. TypeError: No route, [key]',
      retried: true,
    },
    expect.objectContaining({ status: 429, outcome: 'upstream_rate_limited' }),
  ])
  pass(1000)
  fail(error)
  expect(lines[2]).toMatchObject({ outcome: 'upstream_error', untold: 4 })
  expect(counts).toHaveLength(7)
})

test('faults of the participant, calls that it ended, and successes are only counted', () => {
  const { lines, counts, report, fail } = open()
  const tried = { endpoint: 'chat', secret, status: 200 }
  report(describeTry(tried, null))
  report(describeTry(tried, new ApiError('upstream_error'), { hasLeft: true }))
  fail(new ApiError('upstream_rejected'), 400)
  fail(new ApiError('content_policy_violation'), 200)
  expect(lines).toEqual([])
  expect(counts).toEqual([
    'own ok',
    'own client_left',
    'own upstream_rejected',
    'own content_policy_violation',
  ])
})

test('nothing is shown of a short key', () => {
  expect(describeTry({ endpoint: 'chat', secret: 'short', status: 200 }, null).key).toBeNull()
})

test('for a call that continued with another key only the key is reported: when it starts to rest, and when it is back', () => {
  const { lines, counts, report, reports } = open()
  const tried = { endpoint: 'chat', secret, status: 403 }
  for (let call = 0; call < 3; call += 1)
    report(describeTry(tried, new ApiError('upstream_auth'), { willRetry: true, movesOn: true }))
  expect([lines, counts]).toEqual([[], Array(3).fill('own upstream_auth')])
  const tell = reports.keyOf('own')
  const which = { id: 'a1', key: '…4711', fault: 'refused', team: null } as const
  tell({ ...which, state: 'resting', cause: 'The vendor answered 403.', restMs: 5240 })
  tell({ ...which, state: 'back', restedMs: 61_000 })
  tell({ ...which, state: 'back', restedMs: 61_000, team: 'red' })
  const shown = { upstream: 'own', upstream_key: '…4711', upstream_key_id: 'a1', fault: 'refused' }
  expect(lines).toEqual([
    { ...shown, cause: 'The vendor answered 403.', rests_seconds: 5.2 },
    { ...shown, rested_seconds: 61 },
    { ...shown, rested_seconds: 61, team_id: 'red' },
  ])
  expect([reports.lastOutcome('own'), reports.lastOutcome('other')]).toEqual(['upstream_auth', null])
})

test('counts tries and failures of the last five minutes; a call that continues with another key has not failed', () => {
  const { report, reports, fail, pass } = open()
  expect(reports.recentTries('never asked')).toEqual({ tries: 0, failed: 0 })
  report(describeTry({ endpoint: 'chat', secret, status: 200 }, null))
  fail(new ApiError('upstream_error'))
  fail(new ApiError('upstream_rejected'), 400)
  const refused = { endpoint: 'chat', secret, status: 403 } as const
  report({ ...describeTry(refused, new ApiError('upstream_error')), movesOn: true })
  expect(reports.recentTries('own')).toEqual({ tries: 4, failed: 1 })
  pass(300_000)
  expect(reports.recentTries('own')).toEqual({ tries: 0, failed: 0 })
})
