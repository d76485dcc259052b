import { expect, test } from 'bun:test'
import {
  changeScore,
  findMissing,
  isSame,
  nothingWritten,
  readContent,
  shouldDiscuss,
  toContent,
  toggleCite,
  weighSoFar,
} from './judgement.ts'

const criteria = [
  { id: 'direction', name: 'Direction', weight: 2, max: 5 },
  { id: 'cost', name: 'Cost', weight: 1, max: 100 },
]

test('what was written comes back from the server the same', () => {
  const scored = toggleCite(
    changeScore(nothingWritten, 'direction', { score: 4, why: 'Plans' }),
    'direction',
    7,
  )
  const written = { ...scored, gates: { own: false }, commentTeam: 'Well done', commentJudges: 'Look at 7' }
  expect(readContent(toContent(written))).toEqual(written)
  expect(isSame(toggleCite(changeScore(scored, 'cost', { why: '' }), 'direction', 7), scored)).toBe(false)
  expect(
    isSame(changeScore(changeScore(scored, 'cost', { score: 1 }), 'cost', { score: null }), scored),
  ).toBe(true)
})

test('the mean is that of what is scored so far', () => {
  const first = changeScore(nothingWritten, 'direction', { score: 4 })
  expect(weighSoFar(criteria, nothingWritten)).toBeNull()
  expect(weighSoFar(criteria, first)).toBeCloseTo(0.8)
  expect(weighSoFar(criteria, changeScore(first, 'cost', { score: 50 }))).toBeCloseTo(0.7)
  expect(findMissing(criteria, [{ id: 'own', name: 'Own work' }], first)).toEqual(['Cost', 'Own work'])
})

test.each([
  [5, [1, 3], false],
  [5, [1, 4], true],
  [10, [2, 6], false],
  [10, [2, 7], true],
  [100, [40, 80], false],
  [100, [40, 81], true],
  [1, [0, 1], true],
  [5, [4, null], false],
])('of %p points, %p should be discussed: %p', (max, scores, expected) => {
  expect(shouldDiscuss(max, scores)).toBe(expected)
})
