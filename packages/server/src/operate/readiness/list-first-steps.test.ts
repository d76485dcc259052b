// Steps to set up an event: each one is open until its requirement is met.
import { expect, test } from 'bun:test'
import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noteRun, readLastRuns } from './last-runs.ts'
import { type FirstStepFacts, listFirstSteps } from './list-first-steps.ts'

const fresh: FirstStepFacts = {
  event: { name: '', timeZone: 'UTC', phases: [] },
  teams: [],
  vendorUrl: null,
  publicUrls: { gateway: 'http://127.0.0.1:4000', logbook: 'http://127.0.0.1:4001' },
  adminKeys: 0,
  lastRuns: {},
}
const doneOf = (changes: Partial<FirstStepFacts>) =>
  listFirstSteps({ ...fresh, ...changes }).flatMap(({ step, is_done }) => (is_done ? [step] : []))

test.each<[string, Partial<FirstStepFacts>, string[]]>([
  ['a fresh server', {}, []],
  ['a name', { event: { ...fresh.event, name: 'AI Cup' } }, ['event']],
  ['a phase', { event: { ...fresh.event, phases: [{ name: 'contest' }] } }, ['phases']],
  ['a team', { teams: [{ hasAccess: false }] }, ['teams']],
  ['teams with codes or keys', { teams: [{ hasAccess: true }, { hasAccess: true }] }, ['teams', 'handouts']],
  ['a provider', { vendorUrl: 'https://vendor.example.org' }, ['upstream']],
  [
    'one of two public addresses',
    { publicUrls: { gateway: 'https://ai.example.org', logbook: 'http://localhost:4001' } },
    [],
  ],
  [
    'public addresses',
    { publicUrls: { gateway: 'https://ai.example.org', logbook: 'https://log.example.org' } },
    ['addresses'],
  ],
  ['a second admin key', { adminKeys: 1 }, ['staff']],
  ['a backup', { lastRuns: { backup: '2026-11-20T01:00:00.000Z' } }, ['backup']],
  ['a rehearsal', { lastRuns: { rehearsal: '2026-11-20T01:00:00.000Z' } }, ['rehearsal']],
])('%s', (_, changes, done) => {
  expect(doneOf(changes)).toEqual(done as ReturnType<typeof doneOf>)
})

test('runs are remembered in the data folder, for its owner only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-last-runs-'))
  expect(readLastRuns(folder)).toEqual({})
  noteRun(folder, 'backup', new Date('2026-11-20T01:00:00Z'))
  noteRun(folder, 'rehearsal', new Date('2026-11-20T02:00:00Z'))
  expect(readLastRuns(folder)).toEqual({
    backup: '2026-11-20T01:00:00.000Z',
    rehearsal: '2026-11-20T02:00:00.000Z',
  })
  expect(statSync(join(folder, 'last-runs.json')).mode & 0o777).toBe(0o600)
  expect(() => noteRun(join(folder, 'nothing'), 'backup', new Date())).not.toThrow()
})
