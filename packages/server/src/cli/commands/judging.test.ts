// Judging commands: their requests and output.
import { expect, test } from 'bun:test'
import { runCli } from '../testing/run-cli.ts'

const as_of = '2026-11-21T09:00:00.000Z'
const link = { state: 'works', code_name: 'JKMN', expires_at: as_of, first_used_at: null }
const judge = {
  ...{ judge_id: 'jdg_1', name: 'Mira Lang', email: null, tags: [], tracks: [], minutes: null },
  ...{ absent: false, teams: ['red', 'blue'], conflicts: [], link },
}
const list = { items: [judge], as_of }

test('plan sends the figures to try, and says in words what they are enough for', async () => {
  const plan = {
    ...{
      teams: 60,
      judges: 20,
      judges_per_team: 4,
      places: 200,
      full_coverage: false,
      judgements_per_team: 3,
    },
    ...{ enough: false, minutes_needed: 144, judges_needed: 24, as_of },
    sentences: ['The time is not enough.', 'Enough would be 24 judges instead of 20.'],
  }
  const ran = await runCli(['judging', 'plan', '--judges', '20', '--per-team', '4'], [plan])
  expect(ran.requests).toMatchObject([
    { address: 'http://127.0.0.1:4002/judging/plan?judge_count=20&judges_per_team=4' },
  ])
  expect(ran.stdout).toBe('The time is not enough.\nEnough would be 24 judges instead of 20.\n')
})

test('links are printed once, for all judges or for those that are named', async () => {
  const made = {
    items: [
      {
        judge_id: 'jdg_1',
        name: 'Mira Lang',
        code: 'ABCD-EFGH-JKMN',
        url: 'https://x/judging#code=1',
        expires_at: as_of,
      },
    ],
    as_of,
  }
  const all = await runCli(['judging', 'links', '--all', '--expires', '3d'], [made])
  expect(all.requests).toMatchObject([{ body: { judges: 'all', duration: '3d' } }])
  expect(all.stdout).toContain('https://x/judging#code=1')
  expect(all.stdout).toContain('The links are not shown again.')
  const named = await runCli(['judging', 'links', '--judge', 'jdg_1, jdg_2'], [made])
  expect(named.requests).toMatchObject([{ body: { judges: ['jdg_1', 'jdg_2'] } }])
  const neither = await runCli(['judging', 'links'], [])
  expect(neither.exitCode).toBe(2)
})

test('deal and replace confirm warnings for exactly the changes that were shown', async () => {
  const preview = { applied: false, preview_id: 'pv_1', changes: [], warnings: [], as_of, version: 1 }
  const dealt = await runCli(['judging', 'deal'], [preview, list])
  expect(dealt.requests).toMatchObject([{ body: { dry_run: true } }, { body: { preview_id: 'pv_1' } }])
  expect(dealt.stdout).toMatch(/jdg_1\s+Mira Lang\s+there\s+2\s+0\s+works/)
  const warned = { ...preview, warnings: ['One team gets fewer judges.'] }
  const asked = await runCli(['judging', 'deal'], [warned])
  expect([asked.exitCode, asked.requests.length]).toEqual([1, 1])
  expect(asked.stderr).toContain('One team gets fewer judges.')
  const replaced = await runCli(['judging', 'replace', 'jdg_1', '--reason', 'ill', '--yes'], [warned, list])
  expect(replaced.requests.at(-1)).toMatchObject({
    body: { replace: 'jdg_1', reason: 'ill', preview_id: 'pv_1' },
  })
})

test('results show the ranking, what is missing, and the digest to verify', async () => {
  const team = {
    ...{ team_id: 'red', team: 'Red', rank: 1, unranked: null, judgements: 3, mean: 0.8, adjusted: null },
    ...{ criteria: {}, strength: 0, place_by_mean: 1, place_by_order: 2, spread: 0.5, failed_gates: [] },
    discuss: ['judges_differ'],
  }
  const results = {
    ...{ digest: 'ab', ranking: 'mean', criteria: [{ id: 'idea', name: 'Idea', weight: 1, max: 5 }] },
    ...{ sampled: false, method: [], teams: [team], ties: [], open_ties: [], judges: [], rejudging: null },
    ...{ verification: null, publication: null, missing: ['2 judgements are not finished.'], as_of },
  }
  const { stdout } = await runCli(['judging', 'results'], [results])
  expect(stdout).toMatch(/1\s+red\s+80\.0\s+-\s+2\s+3\s+judges differ/)
  expect(stdout).toEndWith('2 judgements are not finished.\nNot verified.\nNot published.\ndigest ab\n')
})
