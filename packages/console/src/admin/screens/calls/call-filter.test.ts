// Filters mean the same in the address, on the server and for live calls.
import { expect, test } from 'bun:test'
import { fitsFilter, isFiltered, toCallsQuery } from './call-filter.ts'

const call = { model: 'mm', outcome: 'refused', code: 'rpm_exceeded', key: 'k', session_id: null }

test('the address becomes a query', () => {
  expect(toCallsQuery({ team: 'red', session: 's1', outcome: 'refused' })).toEqual({
    team_id: 'red',
    session_id: 's1',
    outcome: 'refused',
  })
  expect([isFiltered({}), isFiltered({ key: 'k' })]).toEqual([false, true])
})

test('live calls pass the same filter', () => {
  expect(fitsFilter({}, call)).toBe(true)
  expect(fitsFilter({ outcome: 'refused', code: 'rpm_exceeded' }, call)).toBe(true)
  expect(fitsFilter({ model: 'other' }, call)).toBe(false)
  expect(fitsFilter({ session: 's1' }, call)).toBe(false)
  expect(fitsFilter({ until: '2026-11-21T10:00:00Z' }, call)).toBe(false)
})
