// The form of the set-up: nothing of a saved set-up is lost or renamed by it, and its faults are at their fields.
import { expect, test } from 'bun:test'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import {
  byOrder,
  draftOfSetup,
  emptyCriterion,
  emptySetup,
  listChangedParts,
  moveBy,
  readSetup,
} from './setup-draft.ts'

const zone = 'Asia/Seoul'
const whole: JudgingSetup = {
  criteria: [
    {
      ...{ id: 'direction', name: 'Direction', help: 'Who decided?', weight: 2, max: 5 },
      anchors: [{ score: 3, text: 'Works' }],
    },
    { id: 'checking', name: 'Checking', weight: 1, max: 10 },
  ],
  gates: [{ id: 'rules', name: 'Keeps to the rules', help: 'See the rules.' }],
  ranking: 'order',
  ties: [{ by: 'criterion', criterion: 'checking' }, { by: 'order' }, { by: 'head_judge' }],
  judges_per_team: 4,
  minutes_per_team: 12,
  minutes_per_judge: 120,
  calibration_team: 'sample',
  blind: true,
  opens_at: '2026-11-21T09:00:00.000Z',
  closes_at: '2026-11-21T12:00:00.000Z',
  tracks: [{ id: 'games', name: 'Games', teams: ['red'] }],
  team_tags: { red: ['Harbour College'] },
  seed: '4 2 6 1',
}

test('a saved set-up goes through the form unchanged', () => {
  expect(readSetup(draftOfSetup(whole, zone), zone)).toEqual({ setup: whole, faults: new Map() })
})

test('a renamed criterion keeps its id, and new ones get ids that nothing else has', () => {
  const draft = draftOfSetup(whole, zone)
  const [first, ...others] = draft.criteria
  const added = { ...emptyCriterion(), name: 'Direction' }
  const { setup } = readSetup(
    {
      ...draft,
      criteria: [{ ...(first ?? added), name: 'Leading' }, ...others, added],
      gates: [...draft.gates, { key: 'g', id: null, name: '3 rules', help: '' }],
      ties: [added.key, byOrder],
    },
    zone,
  )
  expect(setup?.criteria.map(({ id, name }) => [id, name])).toEqual([
    ['direction', 'Leading'],
    ['checking', 'Checking'],
    ['direction-2', 'Direction'],
  ])
  expect(setup?.gates?.map(({ id }) => id)).toEqual(['rules', 'c-3-rules'])
  expect(setup?.ties).toEqual([
    { by: 'criterion', criterion: 'direction-2' },
    { by: 'order' },
    { by: 'head_judge' },
  ])
})

test('a step by a criterion that was removed is left out', () => {
  const draft = draftOfSetup(whole, zone)
  const { setup } = readSetup({ ...draft, criteria: draft.criteria.slice(0, 1) }, zone)
  expect(setup?.ties).toEqual([{ by: 'order' }, { by: 'head_judge' }])
})

test('faults are named by their field', () => {
  const draft = {
    ...draftOfSetup(whole, zone),
    judgesPerTeam: '0',
    opens: '2026-11-21T22:00',
    closes: '2026-11-21T21:00',
    seed: ' ',
  }
  const criteria = draft.criteria.map(row => ({ ...row, max: '2', weight: 'x' }))
  const { setup, faults } = readSetup({ ...draft, criteria }, zone)
  expect(setup).toBeNull()
  expect([...faults.keys()].sort()).toEqual([
    ...['anchor.direction 0', 'closes', 'criterion.checking.weight', 'criterion.direction.weight'],
    ...['judgesPerTeam', 'seed'],
  ])
  expect(readSetup(emptySetup(), zone).faults.size).toBe(2)
})

test('what has changed is listed by the names of the form', () => {
  expect(listChangedParts(whole, { ...whole, seed: '1', blind: false })).toEqual(['blind', 'seed'])
  expect(listChangedParts(whole, whole)).toEqual([])
})

test('moving an item beyond the end changes nothing', () => {
  expect([moveBy(['a', 'b', 'c'], 2, -1), moveBy(['a', 'b'], 1, 1), moveBy(['a'], 0, -1)]).toEqual([
    ['a', 'c', 'b'],
    ['a', 'b'],
    ['a'],
  ])
})
