// `fairgate spend …`: its requests and output.
import { expect, test } from 'bun:test'
import type { SpendForecast } from '@fairgate/contracts/spend/spend-forecast.ts'
import type { SpendProof } from '@fairgate/contracts/spend/spend-proof.ts'
import type { SpendReport, SpendSeries } from '@fairgate/contracts/spend/spend-report.ts'
import { refusal, runCli } from '../testing/run-cli.ts'

const head = { as_of: '2026-11-21T12:00:00.000Z', version: 7 }
const total = { count: 2, calls: 3, refused: 9, cost_nano: 2_500_000_000, exact: true }

const report: SpendReport = {
  ...head,
  by: 'team',
  from: null,
  until: null,
  uncharged_nano: 0,
  items: [
    { team_id: 'red', team_alias: 'Red Pandas', calls: 2, refused: 0, cost_nano: 2_000_000_000 },
    { team_id: 'blue', team_alias: null, calls: 1, refused: 9, cost_nano: 500_000_000 },
  ],
  next: 'abc',
  total,
}

test('top: a table, the total of all, and where the list continues', async () => {
  const { stdout, requests, exitCode } = await runCli(['spend', 'top', '--limit', '2'], [report])
  expect(exitCode).toBe(0)
  expect(requests[0]?.address).toEndWith('/spend?by=team&limit=2')
  expect(stdout).toBe(
    `TEAM  NAME        USD   SHARE   CALLS  REFUSED
red   Red Pandas  2.00  80.0 %  2      0
blue  -           0.50  20.0 %  1      9

Total: 2.50 USD in 3 calls, 9 refused
More: --after abc
`,
  )
})

test('each list asks for its grouping, with all filters', async () => {
  const filters = ['red', '--key', 'laptop', '--model', 'm', '--from', 'A', '--until', 'B']
  const asked: string[] = []
  for (const verb of ['by-model', 'by-member', 'by-key', 'refusals']) {
    const { requests } = await runCli(['spend', verb, ...filters], [{ ...report, items: [], next: null }])
    asked.push(new URL(requests[0]?.address ?? '').search)
  }
  expect(asked).toEqual([
    '?by=model&team_id=red&limit=100&key=laptop&model=m&from=A&until=B',
    '?by=member&team_id=red&limit=100&key=laptop&model=m&from=A&until=B',
    '?by=key&team_id=red&limit=100&key=laptop&model=m&from=A&until=B',
    '?by=code&team_id=red&limit=100&key=laptop&model=m&from=A&until=B',
  ])
})

test('by member: names, and keys without an owner as one row', async () => {
  const figures = { calls: 1, refused: 0, cost_nano: 1_000_000_000 }
  const items = [
    { team_id: 'red', team_alias: 'Red Pandas', member_id: 'mb_1', member_name: 'Haeun', ...figures },
    { member_id: null, member_name: null, ...figures },
  ]
  const { stdout } = await runCli(
    ['spend', 'by-member'],
    [{ ...report, by: 'member', items, next: null, total: { ...total, calls: 2, cost_nano: 2_000_000_000 } }],
  )
  expect(stdout).toBe(
    `TEAM  MEMBER                   USD   SHARE   CALLS  REFUSED
red   Haeun                    1.00  50.0 %  1      0
-     (keys without a member)  1.00  50.0 %  1      0

Total: 2.00 USD in 2 calls, 9 refused
`,
  )
})

test('over time: in the time zone, with the steps in between', async () => {
  const point = { calls: 1, refused: 0, cost_nano: 5_000_000 }
  const series: SpendSeries = {
    ...head,
    step: '1h',
    by: 'model',
    time_zone: 'Asia/Seoul',
    from: '2026-11-21T10:00:00.000Z',
    until: '2026-11-21T13:00:00.000Z',
    series: [
      { model: 'm1', ...point, points: [{ at: '2026-11-21T12:00:00.000Z', ...point }] },
      { model: 'm2', ...point, points: [{ at: '2026-11-21T10:00:00.000Z', ...point }] },
    ],
    gaps: [
      { from: '2026-11-21T11:00:00.000Z', until: '2026-11-21T12:00:00.000Z' },
      { from: '2026-11-21T13:00:00.000Z', until: '2026-11-21T13:00:12.000Z' },
    ],
    total,
  }
  const options = ['--by', '1h', '--split', 'model', '--time-zone', 'Asia/Seoul']
  const { stdout, requests } = await runCli(['spend', 'over-time', ...options], [series])
  expect(requests[0]?.address).toEndWith('/series/spend?step=1h&time_zone=Asia%2FSeoul&by=model')
  expect(stdout).toBe(
    `FROM (Asia/Seoul)  MODEL  USD    CALLS  REFUSED
2026-11-21 19:00   m2     0.005  1      0
2026-11-21 21:00   m1     0.005  1      0

Total: 2.50 USD in 3 calls, 9 refused, in steps of 1h
Nothing: 2026-11-21 20:00 to 2026-11-21 21:00
`,
  )
})

test('calls: the list with the total of all rows, not only of the page', async () => {
  const page = { items: [], next_before: null }
  const { stdout, requests } = await runCli(['spend', 'calls', 'red', '--refused'], [page, report])
  expect(requests.map(({ address }) => new URL(address).pathname + new URL(address).search)).toEqual([
    '/calls?team_id=red&outcome=refused&limit=50',
    '/spend?team_id=red&by=team&limit=1',
  ])
  expect(stdout).toBe('No calls.\n\nTotal of all: 2.50 USD in 3 calls, 9 refused\n')
})

test('export: CSV and NDJSON unchanged; conflicting options are refused', async () => {
  const csv = new Response('"a"\r\n', { headers: { 'content-type': 'text/csv; charset=utf-8' } })
  const { stdout, requests } = await runCli(['spend', 'export', '--csv', '--bom', '--refused'], [csv])
  expect(stdout).toBe('"a"\r\n')
  expect(requests[0]?.address).toEndWith('/spend/export.csv?refused=true&bom=true')
  const lines = new Response('{}\n', { headers: { 'content-type': 'application/x-ndjson' } })
  const ndjson = await runCli(['spend', 'export', 'red', '--after', 'xyz'], [lines])
  expect(ndjson.requests[0]?.address).toEndWith('/spend/export.ndjson?team_id=red&after=xyz')
  for (const options of [['--csv', '--ndjson'], ['--bom'], ['--force']])
    expect((await runCli(['spend', 'export', ...options])).exitCode).toBe(2)
})

test('forecast: when the budget ends, or that it lasts at this pace', async () => {
  const team = {
    team_alias: 'x',
    budget_nano: 3_000_000_000,
    spent_nano: 1_000_000_000,
    held_nano: 0,
    left_nano: 2_000_000_000,
    resets_at: null,
  }
  const forecast: SpendForecast = {
    ...head,
    windows_minutes: [15, 60, 240],
    items: [
      {
        ...team,
        team_id: 'red',
        pace_nano_h: { low: 500_000_000, mid: 1_000_000_000, high: 2_000_000_000 },
        dry_at: {
          low: '2026-11-21T16:00:00.000Z',
          mid: '2026-11-21T14:00:00.000Z',
          high: '2026-11-21T13:00:00.000Z',
        },
        verdict: 'runs_dry',
      },
      {
        ...team,
        team_id: 'blue',
        pace_nano_h: { low: 0, mid: 0, high: 0 },
        dry_at: { low: null, mid: null, high: null },
        verdict: 'lasts',
      },
    ],
    next: null,
  }
  const { stdout } = await runCli(['spend', 'forecast'], [forecast])
  expect(stdout).toStartWith(
    `TEAM  LEFT USD  USD AN HOUR  LOW TO HIGH   ENDS              RANGE                                 RESETS
red   2.00      1.00         0.50 to 2.00  2026-11-21 14:00  2026-11-21 13:00 to 2026-11-21 16:00  -
blue  2.00      0.00         0.00 to 0.00  not at this pace  -                                     -
`,
  )
})

test('verify: exit code 1 when a total is wrong', async () => {
  const proof: SpendProof = {
    as_of: head.as_of,
    took_ms: 1234,
    ok: true,
    teams: 2,
    owners: 9,
    rows: 1000,
    rows_before: 800,
    wrong: [],
    wrong_count: 0,
    by_fallback: 0,
  }
  const good = await runCli(['spend', 'verify'], [proof])
  expect(good).toMatchObject({
    exitCode: 0,
    stdout:
      'Every total is the sum of its rows (1000 rows (800 of them proven before), 9 totals of 2 teams, 1.2 s).\n',
  })
  const wrong = [{ team_id: 'red', owner: 'team:red', total_nano: 2, rows_nano: 1 }]
  const bad = await runCli(['spend', 'verify', 'red'], [{ ...proof, ok: false, wrong, wrong_count: 1 }])
  expect(bad.exitCode).toBe(1)
  expect(bad.stdout).toContain('red   team:red  0.000000002  0.000000001')
  expect(bad.stderr).toContain('1 totals are not the sums of their rows.')
  expect(
    (await runCli(['spend', 'verify', 'x'], [refusal(404, 'team_not_found', 'no', 'team_id')])).exitCode,
  ).toBe(1)
})
