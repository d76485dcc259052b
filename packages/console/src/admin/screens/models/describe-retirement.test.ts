// A model that retires soon is a warning, a retired one is a fault.
import { expect, test } from 'bun:test'
import { describeRetirement } from './describe-retirement.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

test.each([
  [null, null],
  ['2026-10-02', { tone: 'bad', text: 'retired 2026-10-02' }],
  ['2026-11-30', { tone: 'warn', text: 'in 9 days' }],
  ['2027-06-01', { tone: 'plain', text: '2027-06-01' }],
] as const)('a model that retires on %p', (on, described) => {
  expect(describeRetirement(on, now)).toEqual(described)
})
