// Draft phases: parsing and formatting.
import { expect, test } from 'bun:test'
import { draftOf, emptyDraft, toLocal, toPhasesBody } from './draft-phases.ts'

test('instants are shown in the time zone of the event', () => {
  expect(toLocal(Date.parse('2026-11-21T01:00:00Z'), 'Asia/Seoul')).toBe('2026-11-21T10:00')
  expect(toLocal(Date.parse('2026-11-21T01:00:30Z'), 'Asia/Seoul')).toBe('2026-11-21T10:00:30')
})

test('unchanged fields are sent as they were', () => {
  const phase = {
    name: 'Contest',
    from: '2026-11-21T01:00:00.000Z',
    until: '2026-11-21T09:00:00.000Z',
    gateway: 'open' as const,
    models: ['mm-2.5-flash'],
    budget_nano: 25_000_000_000,
    accounting: 'new' as const,
    entries_until: null,
    submissions_until: null,
  }
  expect(toPhasesBody([draftOf(phase, 'Asia/Seoul')])).toEqual({
    phases: [
      {
        name: 'Contest',
        from: '2026-11-21T10:00',
        until: '2026-11-21T18:00',
        gateway: 'open',
        budget_nano: 25_000_000_000,
        accounting: 'new',
        models: ['mm-2.5-flash'],
      },
    ],
  })
})

test('nothing is sent while a phase is incomplete', () => {
  expect(toPhasesBody([emptyDraft('a')])).toBeNull()
  expect(toPhasesBody([{ ...emptyDraft('a', '2026-11-21T10:00'), name: 'x', budget: 'much' }])).toBeNull()
  expect(toPhasesBody([{ ...emptyDraft('a', '2026-11-21T10:00'), name: 'x' }])).toEqual({
    phases: [{ name: 'x', from: '2026-11-21T10:00', gateway: 'open' }],
  })
})
