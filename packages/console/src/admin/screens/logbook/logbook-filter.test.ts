// Matching of live entries against the logbook filter.
import { expect, test } from 'bun:test'
import type { LogbookLine } from '@fairgate/contracts/console/logbook.ts'
import { countFitting, isFiltered, takeFitting, toLogbookQuery } from './logbook-filter.ts'

const entry = (tool: string | null, event: string | null): LogbookLine => ({
  ...{ team_id: 'red', seq: 1, ts: '', received_at: '', is_late: false, session_id: null, student: null },
  ...{ tool, event, text: '', bytes: 2 },
})

test('entries match by tool and event, ignoring case', () => {
  const batch = { count: 2, items: [entry('codex', 'Stop'), entry('cursor', null)] }
  expect(countFitting({}, [batch])).toBe(2)
  expect(countFitting({ tool: 'Codex' }, [batch])).toBe(1)
  expect(countFitting({ event: 'stop' }, [batch])).toBe(1)
  expect(countFitting({ tool: 'codex', event: 'Other' }, [batch])).toBe(0)
})

test('every entry of a batch without items counts, and the first batch is not an arrival', () => {
  expect(countFitting({ tool: 'codex' }, [{ count: 80, items: [] }])).toBe(80)
  expect(countFitting({}, [{ count: 0, items: [] }])).toBeNull()
  expect(
    countFitting({}, [
      { count: 0, items: [] },
      { count: 1, items: [entry(null, null)] },
    ]),
  ).toBe(1)
})

test('new entries are inserted all together, latest first, or not at all', () => {
  const [one, two, three] = [entry('codex', 'Stop'), entry('cursor', 'Stop'), entry('codex', 'Start')]
  const batches = [
    { count: 1, items: [one] },
    { count: 2, items: [two, three] },
  ]
  expect(takeFitting({ tool: 'codex' }, batches)).toEqual([three, one])
  expect(takeFitting({}, [...batches, { count: 80, items: [] }])).toBeNull()
})

test('the address becomes a query', () => {
  expect(toLogbookQuery({ team: 'red', event: 'Stop' })).toEqual({ team_id: 'red', event: 'Stop' })
  expect([isFiltered({}), isFiltered({ tool: 'codex' })]).toEqual([false, true])
})
