// Changed members of a model as text.
import { expect, test } from 'bun:test'
import { listMemberChanges } from './list-member-changes.ts'

test('only price units with a different amount are listed', () => {
  const [from, to] = ['{"input":0.3,"output":2.5}', '{"input":0.35,"output":2.5,"search":0.01}']
  expect(listMemberChanges('price', from, to)).toEqual([
    { name: 'input', from: '$0.30 per 1 M', to: '$0.35 per 1 M' },
    { name: 'search', from: 'none', to: '$0.01 a search' },
  ])
})

test.each([
  ['context_limit', 1000, 2000, { name: 'context limit', from: '1000', to: '2000' }],
  ['voices', null, '["Kore"]', { name: 'voices', from: 'none', to: '["Kore"]' }],
] as const)('%s', (member, from, to, change) => {
  expect(listMemberChanges(member, from, to)).toEqual([change])
})
