// What every engine of the store must do with boards and their locks.
import { expect, test } from 'bun:test'
import { buildPackedEntries, sender } from '../build-entry-to-append.ts'
import { type Current, insertTeam, readAudit } from './store-actions.ts'

export function describeBoards(current: Current): void {
  const change = async (lock: 'lock' | 'unlock' | { lockAt: number }, now = 5000) => {
    const audit = { actor: 'admin', action: 'board.change' }
    const { board } = await current().write.changeBoardLock({ teamId: 'team-1', change: lock, now, audit })
    return board
  }

  test('a board that nobody has touched is unknown', async () => {
    expect((await current().read.readBoard({ teamId: 'team-1' })) ?? null).toBeNull()
    expect(await current().read.listBoards()).toEqual([])
  })

  test('locking and unlocking answer the board and are audited with both states', async () => {
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

  test('a set time is kept, leaves a locked board locked, and goes with the unlocking', async () => {
    const lockAt = 1_795_000_000_000
    expect(await change({ lockAt })).toMatchObject({ locked: false, lockAt })
    expect(await change('lock')).toMatchObject({ locked: true, lockAt: null })
    expect(await change({ lockAt })).toMatchObject({ locked: true, lockAt })
    expect(await change('unlock')).toMatchObject({ locked: false, lockAt: null })
  })

  // A set time that has come counts as a lock, even though nobody has locked the board by hand.
  test('a later set time does not open a board whose set time has come', async () => {
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
}
