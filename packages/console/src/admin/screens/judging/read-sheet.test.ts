// What is typed from paper, as tables.
import { expect, test } from 'bun:test'
import { findJudge, findTeam, isWholeScore, readGate, readScore } from './read-sheet.ts'

const teams = [
  { team_id: 'red', name: 'Red Pandas', number: 17 },
  { team_id: 'red-two', name: 'Rédacteurs', number: 1 },
  { team_id: '17', name: 'Seventeen', number: 4 },
  { team_id: 'blue', name: 'Blue', number: null },
]

test.each<[string, readonly string[]]>([
  ['17', ['red', '17']],
  ['1', ['red-two']],
  ['RED', ['red']],
  ['red p', ['red']],
  ['redac', ['red-two']],
  ['re', ['red', 'red-two']],
  ['panda', ['red']],
  ['blue', ['blue']],
  ['null', []],
  ['green', []],
  ['', []],
])('the team %j', (typed, found) => {
  const match = findTeam(typed, teams)
  const items = match.kind === 'one' ? [match.item] : match.items
  expect(items.map(({ team_id }) => team_id)).toEqual([...found])
})

test('a judge is found by the beginning of any part of the name', () => {
  const judges = [{ name: 'Mira Lang' }, { name: 'Mirabel Ohm' }, { name: 'Ada' }]
  const namesOf = (typed: string) => {
    const match = findJudge(typed, judges)
    return match.kind === 'one' ? match.item.name : match.items.map(({ name }) => name)
  }
  expect([namesOf('la'), namesOf('mira'), namesOf('ada'), namesOf('zoe')]).toEqual([
    'Mira Lang',
    ['Mira Lang', 'Mirabel Ohm'],
    'Ada',
    [],
  ])
  expect(namesOf('')).toHaveLength(3)
})

test.each<[string, number, number | null | undefined, boolean]>([
  ['', 5, null, false],
  ['0', 5, 0, true],
  ['0', 10, 0, false],
  ['1', 5, 1, true],
  ['5', 5, 5, true],
  ['6', 5, undefined, false],
  ['-1', 5, undefined, false],
  ['1', 10, 1, false],
  ['2', 10, 2, true],
  ['10', 10, 10, true],
  ['9', 100, 9, false],
  ['99', 100, 99, true],
  ['x', 5, undefined, false],
])('the score %j of %d is %p', (text, max, score, isWhole) => {
  expect([readScore(text, max), isWholeScore(text, max)]).toEqual([score, isWhole])
})

test.each<[string, boolean | null | undefined]>([
  ['y', true],
  ['No', false],
  ['1', true],
  ['', null],
  ['maybe', undefined],
])('the gate %j is %p', (text, passed) => {
  expect(readGate(text)).toBe(passed)
})
