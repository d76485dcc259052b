// Engine tests: a page of a session. Entries by number, calls by id, the newest calls, and refused calls that name it.
import { expect, test } from 'bun:test'
import { buildEntryToAppend, packTestEntries, sender } from '../build-entry-to-append.ts'
import { buildCallFacts, buildCallRecord } from '../build-ledger-rows.ts'
import { type Current, insertTeam } from './store-actions.ts'

const start = 1_795_000_200_000

function idAt(unixMs: number): string {
  const hex = unixMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001`
}

export function describeSessionItems(current: Current): void {
  test('entries come in the requested order, up to a number of bytes, and at least one', async () => {
    await insertTeam(current(), 'team-1')
    const entries = ['a', 'b', 'c'].map(text => buildEntryToAppend(text, { text: text.repeat(1000) }))
    await current().write.appendEntries({
      now: start,
      requests: [{ teamId: 'team-1', sender, entries: packTestEntries(entries) }],
    })
    const read = async (numbers: readonly number[], maximumBytes: number) =>
      (await current().read.readNumberedEntries({ teamId: 'team-1', numbers, maximumBytes })).map(
        ({ seq }) => seq,
      )
    expect(await read([3, 1, 2], 1_000_000)).toEqual([3, 1, 2])
    expect(await read([3, 9, 2], 1_000_000)).toEqual([3, 2])
    expect(await read([3, 1, 2], 2500)).toEqual([3, 1])
    expect(await read([2], 1)).toEqual([2])
    expect(await read([], 1)).toEqual([])
  })

  test('refused calls that name a session, from either end, and how far the search went', async () => {
    await insertTeam(current(), 'team-1')
    await insertTeam(current(), 'team-2')
    const call = (second: number, teamId: string, sessionId: string, outcome: 'refused' | 'failed') => {
      const receivedAt = start + second * 1000
      const client = { ...buildCallFacts().client, sessionId }
      return buildCallRecord(idAt(receivedAt), { teamId, outcome, receivedAt, client })
    }
    const calls = [
      call(1, 'team-1', 's', 'refused'),
      call(2, 'team-1', 's', 'failed'),
      call(3, 'team-1', 't', 'refused'),
      call(4, 'team-1', 's', 'refused'),
      call(5, 'team-1', 's', 'refused'),
      call(6, 'team-2', 's', 'refused'),
    ]
    await current().write.recordCalls({ calls })
    const input = { teamId: 'team-1', sessionId: 's', from: start, until: start + 9000, maxRows: 100 }
    const read = async (changes: Partial<typeof input>, order: 'oldest first' | 'newest first') => {
      const found = await current().read.readNamedRefusals({ ...input, order, ...changes })
      const seconds = found.calls.map(({ receivedAt }) => (receivedAt - start) / 1000)
      return [
        seconds.sort((left, right) => left - right),
        calls.findIndex(({ callId }) => callId === found.lookedTo) + 1,
      ]
    }
    expect(await read({}, 'oldest first')).toEqual([[1, 4, 5], 0])
    expect(await read({ maxRows: 3 }, 'oldest first')).toEqual([[1], 3])
    expect(await read({ maxRows: 3 }, 'newest first')).toEqual([[4, 5], 3])
    expect(await read({ from: start + 4000, until: start + 5000 }, 'newest first')).toEqual([[4], 0])
    expect(await read({ sessionId: 'a\0b' }, 'oldest first')).toEqual([[], 0])
    const newest = async (teamId: string | null, limit: number) =>
      (await current().read.readNewestCallIds({ teamId, limit })).map(
        id => calls.findIndex(({ callId }) => callId === id) + 1,
      )
    expect(await newest(null, 3)).toEqual([6, 5, 4])
    expect(await newest('team-1', 10)).toEqual([5, 4, 3, 2, 1])
    const named = await current().read.readCallsById({ callIds: calls.slice(4).map(({ callId }) => callId) })
    expect(named.map(({ teamId }) => teamId).sort()).toEqual(['team-1', 'team-2'])
    const [first, second] = calls
    const found = await current().read.readCallsOf({
      teamId: 'team-1',
      callIds: [first?.callId ?? '', second?.callId ?? '', calls[5]?.callId ?? ''],
    })
    expect(found.map(({ outcome }) => outcome).sort()).toEqual(['failed', 'refused'])
  })
}
