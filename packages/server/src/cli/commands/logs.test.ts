// Logs commands: broken chains end with 1 and name the first bad number; the audit is read page by page.
import { describe, expect, test } from 'bun:test'
import { buildAuditRow, buildBoard, buildBrokenCheck, buildIntactCheck } from '../testing/build-replies.ts'
import { refusal, runCli } from '../testing/run-cli.ts'

const intactJudging = { ok: true, records: 12, problem: null }
const boards = { boards: [buildBoard(), buildBoard({ team_id: 'team-02' })] }

describe('logs verify', () => {
  test('checks every team when none is named', async () => {
    const replies = [boards, buildIntactCheck('team-01'), buildIntactCheck('team-02'), intactJudging]
    const { exitCode, stdout, stderr, requests } = await runCli(['logs', 'verify'], replies)
    expect(exitCode).toBe(0)
    expect(requests.map(request => request.address)).toEqual([
      'http://127.0.0.1:4002/logs/boards',
      'http://127.0.0.1:4002/logs/verify?team_id=team-01',
      'http://127.0.0.1:4002/logs/verify?team_id=team-02',
      'http://127.0.0.1:4002/judging/verify',
    ])
    expect(stdout).toMatch(/team-02 +ok +7 +c0ffee00c0ffee00 +-\n/)
    expect(stdout).toEndWith('\n\nRecord of judging: ok, 12 records\n')
    expect(stderr).toBe('')
  })

  test('a broken chain ends with 1 and its first bad number', async () => {
    const altered = { ok: false, records: 6, problem: { seq: 7, kind: 'altered' } }
    const replies = [boards, buildIntactCheck('team-01'), buildBrokenCheck('team-02'), altered]
    const { exitCode, stdout, stderr } = await runCli(['logs', 'verify'], replies)
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/team-02 +BROKEN +4 +- +5 \(altered\)\n/)
    expect(stdout).toEndWith('\n\nRecord of judging: BROKEN at 7 (altered)\n')
    expect(stderr).toBe(
      '1 of 2 checked chains broken: team-02 at seq 5 (altered).\nThe record of judging is broken at number 7 (altered).\n',
    )
  })

  test('recorder numbers that are missing or doubled are shown, and are no failure', async () => {
    const clone = { id: '0a0b0c0d', entries: 5, first: 1, last: 7, missing: 3, repeated: 1 }
    const whole = { id: '11111111', entries: 7, first: 1, last: 7, missing: 0, repeated: 0 }
    const reply = { ...buildIntactCheck('team-01'), recorders: [whole, clone] }
    const { exitCode, stdout, stderr } = await runCli(['logs', 'verify', 'team-01'], [reply])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/team-01 +0a0b0c0d +5 +1-7 +3 +1\n/)
    expect(stdout).not.toContain('11111111')
    expect(stdout).toContain('no proof of anything')
  })

  test('one team: --json prints its reply, broken or not', async () => {
    const reply = buildBrokenCheck('team-02')
    const { exitCode, stdout, requests } = await runCli(['logs', 'verify', 'team-02', '--json'], [reply])
    expect(exitCode).toBe(1)
    expect(requests).toHaveLength(1)
    expect(JSON.parse(stdout)).toEqual(reply)
  })

  test('all teams: --json prints the list of replies', async () => {
    const checks = [buildIntactCheck('team-01'), buildIntactCheck('team-02')]
    const { stdout } = await runCli(['logs', 'verify', '--json'], [boards, ...checks, intactJudging])
    expect(JSON.parse(stdout)).toEqual({ items: checks, next: null })
  })

  test('an unknown team is refused', async () => {
    const reply = refusal(404, 'team_not_found', 'There is no team "x".', 'team_id')
    const { exitCode, stderr } = await runCli(['logs', 'verify', 'x'], [reply])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('team_not_found')
  })

  test('waits for as long as the check takes', async () => {
    const waits: unknown[] = []
    await runCli(['logs', 'verify', 'team-01'], [], {
      fetch: async (_address, init) => {
        waits.push(init.timeout)
        return Response.json(buildIntactCheck('team-01'))
      },
    })
    expect(waits).toEqual([false])
  })
})

describe('logs audit', () => {
  test('shows before and after', async () => {
    const made = buildAuditRow(1, { action: 'key.generate', target: 'ab'.repeat(32), before: null })
    const reply = { items: [buildAuditRow(2, { reason: 'final round' }), made], next_before_id: null }
    const { stdout, requests } = await runCli(['logs', 'audit', '--team', 'team-01'], [reply])
    expect(requests[0]?.address).toBe('http://127.0.0.1:4002/audit?limit=50&team_id=team-01')
    expect(stdout).toMatch(/2 .* team\.update +team-01 +- +final round +rpm_limit: 60 → null\n/)
    expect(stdout).toMatch(/1 .* key\.generate +team-01 +abababababababab +- +-\n/)
    const json = await runCli(['logs', 'audit', '--json'], [reply])
    expect(JSON.parse(json.stdout)).toEqual({ items: reply.items, next: null })
  })

  test('a limit above one page reads further pages', async () => {
    const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index)
    const pages = [
      { items: ids(500, 200).map(id => buildAuditRow(id)), next_before_id: 301 },
      { items: ids(300, 50).map(id => buildAuditRow(id)), next_before_id: 251 },
    ]
    const { stdout, requests } = await runCli(['logs', 'audit', '--limit', '250', '--json'], pages)
    expect(requests.map(request => request.address)).toEqual([
      'http://127.0.0.1:4002/audit?limit=200',
      'http://127.0.0.1:4002/audit?limit=50&before_id=301',
    ])
    const reply = JSON.parse(stdout)
    expect(reply.items).toHaveLength(250)
    expect(reply.next).toBe(251)
  })

  test('a list that was cut says how to go on, and --before does', async () => {
    const page = { items: [buildAuditRow(300)], next_before_id: 300 }
    const { stdout, requests } = await runCli(['logs', 'audit', '--limit', '1', '--before', '301'], [page])
    expect(requests[0]?.address).toBe('http://127.0.0.1:4002/audit?limit=1&before_id=301')
    expect(stdout).toEndWith('\n\nOlder ones: --before 300\n')
  })
})
