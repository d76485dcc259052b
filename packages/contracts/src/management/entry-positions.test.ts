// The position at which a feed of entries continues: one number, or one number per team.
import { expect, test } from 'bun:test'
import { parseEntryPositions } from './entry-positions.ts'

test.each([
  ['', undefined, []],
  ['', 'red', []],
  ['17', 'red', [['red', 17]]],
  ['0', 'red', [['red', 0]]],
  ['red:17', undefined, [['red', 17]]],
  [
    'red:17,b.l-u_e:3',
    undefined,
    [
      ['red', 17],
      ['b.l-u_e', 3],
    ],
  ],
  [
    'red:17, blue:3',
    'red',
    [
      ['red', 17],
      ['blue', 3],
    ],
  ],
] as const)('%p for team %p', (text, teamId, places) => {
  expect([...parseEntryPositions(text, teamId)]).toEqual(places.map(([team, seq]) => [team, seq]))
})

test.each([
  '17',
  'red',
  'red:',
  'red:-1',
  'red:1.5',
  'red:1,',
  ',red:1',
  'red:1,red:1',
  'red:1;blue:2',
  '-1',
  'red:9999999999999999',
  ':3',
])('refuses %p', text => {
  expect(() => parseEntryPositions(text, undefined)).toThrow(RangeError)
})
