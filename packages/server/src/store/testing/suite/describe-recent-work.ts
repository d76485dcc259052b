// Engine tests: recent activity. The newest calls, when teams were last seen, and entries by time.
import { expect, test } from 'bun:test'
import { buildEntryToAppend, packTestEntries, sender } from '../build-entry-to-append.ts'
import { buildCallFacts, buildCallRecord, buildCharge } from '../build-ledger-rows.ts'
import { type Current, charge, insertTeam } from './store-actions.ts'

const start = 1_795_000_200_000

/** An id of the form that calls have: UUID version 7 of that millisecond. */
function idAt(unixMs: number, number: number): string {
  const hex = unixMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`
}

export function describeRecentWork(current: Current): void {
  const fill = async () => {
    for (const [index, teamId] of ['team-1', 'team-2', 'team-3'].entries()) {
      await insertTeam(current(), teamId)
      if (teamId === 'team-3') continue
      const at = start + index * 1000
      const facts = buildCallFacts({ firstByteMs: 40 + index })
      await charge(
        current(),
        buildCharge(idAt(at, 1), { teamId, admittedAt: at, durationMs: 700 + index, facts }),
      )
    }
    const refused = {
      teamId: 'team-1',
      outcome: 'refused',
      code: 'rpm_exceeded',
      count: 7,
      modelServed: null,
    } as const
    await current().write.recordCalls({
      calls: [
        buildCallRecord(idAt(start + 5000, 2), { ...refused, receivedAt: start + 5000, durationMs: 0 }),
      ],
    })
  }

  test('the newest calls come first, of all teams or of one, within the range and the limit', async () => {
    await fill()
    const all = { teamId: null, from: start, until: start + 5001, limit: 10 }
    expect(await current().read.readRecentCalls(all)).toMatchObject([
      { receivedAt: start + 5000, outcome: 'refused', count: 7, firstByteMs: null },
      { outcome: 'completed', count: 1, durationMs: 701, firstByteMs: 41 },
      { outcome: 'completed', count: 1, durationMs: 700, firstByteMs: 40 },
    ])
    const countOf = async (changes: Partial<typeof all> | { teamId: string }) =>
      (await current().read.readRecentCalls({ ...all, ...changes })).length
    expect(await countOf({ limit: 2 })).toBe(2)
    expect(await countOf({ until: start + 5000 })).toBe(2)
    expect(await countOf({ from: start + 1 })).toBe(2)
    expect(await countOf({ teamId: 'team-1' })).toBe(2)
    expect(await countOf({ teamId: 'team-3' })).toBe(0)
  })

  test('a team was last seen at its last call, refused or not, with the number of entries since', async () => {
    await fill()
    // The last one dates itself a day after its receipt.
    const entries = [1, 2, 86_400].map(second =>
      buildEntryToAppend(`${second}`, { tsMicros: (start + second * 1000) * 1000 }),
    )
    await current().write.appendEntries({
      now: start + 4000,
      requests: [{ teamId: 'team-2', sender, entries: packTestEntries(entries) }],
    })
    const seen = await current().read.readLastSeen({ since: start + 2000, until: start + 9000 })
    expect(seen.toSorted((left, right) => (left.teamId < right.teamId ? -1 : 1))).toEqual([
      { teamId: 'team-1', lastCallAt: start + 5000, entries: 0 },
      { teamId: 'team-2', lastCallAt: start + 1000, entries: 2 },
      { teamId: 'team-3', lastCallAt: null, entries: 0 },
    ])
  })

  test('entries are counted in the step of their own time, or of their receipt if that is earlier', async () => {
    const minutes = [0, 1, 7, 12, 13, 14, 21, 29, 44, 300]
    const append = (teamId: string, now: number, ...own: readonly number[]) =>
      current().write.appendEntries({
        now,
        requests: [
          {
            teamId,
            sender,
            entries: packTestEntries(
              own.map(minute =>
                buildEntryToAppend(`${minute}`, { tsMicros: (start + minute * 60_000) * 1000 }),
              ),
            ),
          },
        ],
      })
    const received = start + 60 * 60_000
    await append('team-1', received, ...minutes)
    // An existing entry counts once.
    await append('team-1', received + 1, ...minutes, 30)
    await append('team-2', received, ...minutes)
    const times = [...minutes, 30].map(minute => Math.min(start + minute * 60_000, received))
    const count = (teamId: string | null, from: number, until: number) =>
      current().read.countEntries({ teamId, from, until, stepMs: 600_000 })
    // With ends on and within buckets, and both within one.
    for (const [first, last] of [
      [0, 61],
      [1, 29.5],
      [12, 13.5],
      [-20, 400],
      [29, 29],
    ] as const) {
      const [from, until] = [start + first * 60_000, start + last * 60_000]
      const expected = new Map<number, number>()
      for (const time of times.filter(each => each >= from && each < until)) {
        const at = Math.floor(time / 600_000) * 600_000
        expected.set(at, (expected.get(at) ?? 0) + 1)
      }
      const counted = await count('team-1', from, until)
      expect(counted.map(({ at, entries }) => [at, entries])).toEqual(
        [...expected].sort(([one], [other]) => one - other),
      )
      const of1 = (await count(null, from, until)).filter(({ teamId }) => teamId === 'team-1')
      expect(of1).toEqual(counted)
    }
    expect(await count('team-3', start, received)).toEqual([])
  })
}
