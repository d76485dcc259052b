// Callers are warned that a model will be retired, and still afterwards.
import { expect, test } from 'bun:test'
import { retirementHeaders } from './retirement.ts'

const reported = { deprecation: '@1783123200', sunset: 'Fri, 02 Oct 2026 00:00:00 GMT' }

test.each([
  ['no retirement date', null, '2026-10-01', {}],
  ['far away', '2026-10-02', '2026-07-03', {}],
  ['within 90 days', '2026-10-02', '2026-07-04', reported],
  ['past', '2026-10-02', '2026-11-21', reported],
] as const)('%s', (_, retiresOn, today, headers) => {
  expect(retirementHeaders({ retiresOn }, Date.parse(today))).toEqual(headers)
})
