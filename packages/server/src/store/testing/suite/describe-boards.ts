// Engine tests: boards and their locks.
import { describe, expect, test } from 'bun:test'
import type { BoardLock } from '../../statements/boards.ts'
import { buildAuditEntry } from '../build-directory-rows.ts'
import { buildEntryToAppend, buildPackedEntries, packTestEntries, sender } from '../build-entry-to-append.ts'
import { actionsOf, type Current, insertTeam, readAudit, readVersion } from './store-actions.ts'

export function describeBoards(current: Current): void {
  const change = async (lock: 'lock' | 'unlock' | { lockAt: number }, now = 5000) => {
    const audit = { actor: 'admin', action: 'board.change' }
    const input = { teamIds: ['team-1'], change: lock, now, audit }
    return (await current().write.changeBoardLocks(input)).boards[0]
  }

  test('an untouched board is unknown', async () => {
    expect((await current().read.readBoard({ teamId: 'team-1' })) ?? null).toBeNull()
    expect(await current().read.listBoards()).toEqual([])
  })

  test('locking and unlocking return the board and are audited with both states', async () => {
    await insertTeam(current(), 'team-1')
    expect(await change('lock')).toMatchObject({ locked: true, lockAt: null, updatedAt: 5000 })
    expect(await change('unlock', 6000)).toMatchObject({ locked: false, lockAt: null, updatedAt: 6000 })
    const [unlocked, locked] = await readAudit(current())
    expect(locked).toMatchObject({
      at: 5000,
      actor: 'admin',
      action: 'board.change',
      team_id: 'team-1',
      target: 'team-1',
      before: '{"locked":false,"lock_at":null}',
      after: '{"locked":true,"lock_at":null}',
    })
    expect(unlocked).toMatchObject({
      before: '{"locked":true,"lock_at":null}',
      after: '{"locked":false,"lock_at":null}',
    })
  })

  test('a lock time is kept, leaves a locked board locked, and is removed by unlocking', async () => {
    const lockAt = 1_795_000_000_000
    expect(await change({ lockAt })).toMatchObject({ locked: false, lockAt })
    expect(await change('lock')).toMatchObject({ locked: true, lockAt: null })
    expect(await change({ lockAt })).toMatchObject({ locked: true, lockAt })
    expect(await change('unlock')).toMatchObject({ locked: false, lockAt: null })
  })

  describe('many at once', () => {
    const changeAll = (change: Parameters<ReturnType<Current>['write']['changeBoardLocks']>[0]['change']) =>
      current().write.changeBoardLocks({
        teamIds: ['team-1', 'team-2'],
        change,
        now: 7000,
        audit: { actor: 'admin', action: 'board.change', reason: 'the end', bulk_id: 'bulk_1' },
      })
    const locks = async () =>
      (await current().read.listBoards()).map(({ teamId, locked, lockAt }) => [teamId, locked, lockAt])

    test('are locked and opened again, untouched ones too, under one number', async () => {
      const before = (await insertTeam(current(), 'team-1')) ?? 0
      expect((await changeAll('lock')).version).toBe(before + 1)
      expect(await locks()).toEqual([
        ['team-1', true, null],
        ['team-2', true, null],
      ])
      expect((await changeAll('unlock')).version).toBe(before + 2)
      expect(await locks()).toEqual([
        ['team-1', false, null],
        ['team-2', false, null],
      ])
      const facts = { actor: 'admin', reason: 'the end', bulk_id: 'bulk_1', at: 7000 }
      const [open, shut] = [false, true].map(locked => JSON.stringify({ locked, lock_at: null }))
      expect((await readAudit(current())).filter(({ action }) => action === 'board.change')).toMatchObject([
        { ...facts, team_id: 'team-2', before: shut, after: open },
        { ...facts, team_id: 'team-1', before: shut, after: open },
        { ...facts, team_id: 'team-2', before: null, after: shut },
        { ...facts, team_id: 'team-1', before: open, after: shut },
      ])
    })

    test('get a lock time, which leaves open boards open and locked ones locked', async () => {
      await change('lock')
      await changeAll({ lockAt: 9000 })
      expect(await locks()).toEqual([
        ['team-1', true, 9000],
        ['team-2', false, 9000],
      ])
      // A lock time that has passed stays a lock.
      await current().write.changeBoardLocks({
        teamIds: ['team-2'],
        change: { lockAt: 20_000 },
        now: 10_000,
        audit: { actor: 'admin', action: 'board.change', reason: null, bulk_id: null },
      })
      expect(await current().read.readBoard({ teamId: 'team-2' })).toMatchObject({ locked: true })
    })
  })

  // A lock time that has passed counts as a lock, even without a manual lock.
  test('a later lock time does not open a board after its lock time has passed', async () => {
    await change({ lockAt: 6000 })
    await change({ lockAt: 8000 }, 7000)
    const request = { teamId: 'team-1', sender, entries: buildPackedEntries('a') }
    expect(await current().write.appendEntries({ requests: [request], now: 7500 })).toEqual([
      { locked: true },
    ])
  })

  test('a board is made for a team that has none', async () => {
    expect(await change('lock')).toMatchObject({ teamId: 'team-1', locked: true, headSeq: 0 })
    expect(await current().read.readBoard({ teamId: 'team-1' })).toMatchObject({ locked: true })
  })

  test('boards are listed by team', async () => {
    for (const teamId of ['c', 'a', 'b']) await insertTeam(current(), teamId)
    expect((await current().read.listBoards()).map(({ teamId }) => teamId)).toEqual(['a', 'b', 'c'])
  })

  describe('locks of the event', () => {
    const audit = buildAuditEntry('event.set')
    const lockAll = async (boardLocks: readonly BoardLock[], seen: number) =>
      (await current().write.updateEvent({ event: { document: '{}', boardLocks, seen }, audit })) ?? 0
    const minute = 60_000
    const closesAt = 100 * minute
    const lateUntil = 145 * minute
    const append = (now: number, ...entries: readonly ReturnType<typeof buildEntryToAppend>[]) =>
      current().write.appendEntries({
        requests: [{ teamId: 'team-1', sender, entries: packTestEntries(entries) }],
        now,
      })
    const entryOf = (name: string, ts: number) => buildEntryToAppend(name, { tsMicros: ts * 1000 })
    const readLate = async () => {
      const page = { teamId: 'team-1', afterSeq: 0, limit: 100 }
      return (await current().read.readEntriesAfter(page)).map(({ late }) => late)
    }

    test('reach the boards of all teams, including those made later', async () => {
      await insertTeam(current(), 'team-1')
      const lock = { closesAt, lateUntil, reopensAt: null }
      const seen = await lockAll([lock], 0)
      await insertTeam(current(), 'team-2')
      const locksOf = async () => (await current().read.listBoards()).map(({ eventLocks }) => eventLocks)
      expect(await locksOf()).toEqual([[lock], [lock]])
      await lockAll([], seen)
      expect(await locksOf()).toEqual([[], []])
    })

    test('accept what happened before them until the end of the grace period, marked late, to the millisecond', async () => {
      await insertTeam(current(), 'team-1')
      await lockAll([{ closesAt, lateUntil, reopensAt: null }], 0)
      const head = expect.any(Object)
      expect(await append(closesAt - 1, entryOf('in time', closesAt - 1))).toMatchObject([{ stored: 1 }])
      expect(
        await append(
          closesAt,
          entryOf('late', closesAt - 1),
          entryOf('after', closesAt),
          entryOf('late 2', 5),
        ),
      ).toEqual([{ locked: false, stored: 2, duplicates: 0, refused: [1], head }])
      expect(await append(closesAt, entryOf('after', closesAt))).toEqual([{ locked: true }])
      expect(await append(closesAt, entryOf('late', closesAt - 1))).toEqual([
        { locked: false, stored: 0, duplicates: 1, head },
      ])
      expect(await append(lateUntil - 1, entryOf('last', closesAt - 1))).toMatchObject([{ stored: 1 }])
      expect(await append(lateUntil, entryOf('too late', closesAt - 1))).toEqual([{ locked: true }])
      expect(await readLate()).toEqual([0, 1, 1, 1])
    })

    test('end with the next open phase', async () => {
      await insertTeam(current(), 'team-1')
      await lockAll([{ closesAt, lateUntil: closesAt, reopensAt: lateUntil }], 0)
      expect(await append(lateUntil - 1, entryOf('a', 5))).toEqual([{ locked: true }])
      expect(await append(lateUntil, entryOf('a', 5))).toMatchObject([{ stored: 1 }])
      expect(await readLate()).toEqual([0])
    })

    test('do not apply to a board opened manually, until the next one; a manual lock stays', async () => {
      await insertTeam(current(), 'team-1')
      const first = { closesAt, lateUntil: closesAt, reopensAt: null }
      const seen = await lockAll([first], 0)
      await change('unlock', closesAt + 1)
      expect(await append(closesAt + 2, entryOf('a', 5))).toMatchObject([{ stored: 1 }])
      const second = { closesAt: closesAt + 3, lateUntil: closesAt + 3, reopensAt: null }
      await lockAll([first, second], seen)
      expect(await append(closesAt + 2, entryOf('b', 5))).toMatchObject([{ stored: 1 }])
      expect(await append(closesAt + 3, entryOf('c', 5))).toEqual([{ locked: true }])
      await change('unlock', closesAt + 4)
      await change('lock', closesAt + 5)
      expect(await append(closesAt + 6, entryOf('d', 5))).toEqual([{ locked: true }])
    })

    test('are written from the newest settings only, and numbered like any change', async () => {
      const before = await readVersion(current())
      const seen = await lockAll([], 0)
      expect(seen).toBe(before + 1)
      expect(await lockAll([], 0)).toBe(0)
      expect(await lockAll([], seen - 1)).toBe(0)
      expect(await readVersion(current())).toBe(seen)
      const { event } = await current().read.readDirectory({ after: seen - 1 })
      expect(event).toEqual({ id: 1, document: '{}', board_locks: null, version: seen })
      expect((await current().read.readDirectory({ after: seen })).event).toBeNull()
      expect(actionsOf(await readAudit(current()))).toEqual(['event.set'])
    })

    test('let an append in progress end first, and none after them', async () => {
      await insertTeam(current(), 'team-1')
      const appends = Array.from({ length: 5 }, (_, n) => append(closesAt - 1, entryOf(`e${n}`, 5)))
      const locking = lockAll([{ closesAt: 0, lateUntil: 0, reopensAt: null }], 0)
      const outcomes = (await Promise.all(appends)).flat()
      await locking
      expect(await append(closesAt, entryOf('after', 5))).toEqual([{ locked: true }])
      const stored = outcomes.filter(outcome => !outcome.locked).length
      expect((await current().read.readBoard({ teamId: 'team-1' }))?.headSeq).toBe(stored)
    })
  })
}
