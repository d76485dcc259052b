// Engine tests: the rows that windows are restored from, and the ledger rows that replace them.
import { expect, test } from 'bun:test'
import { firstIdOf } from '../../statements/calls.ts'
import { buildCharge, buildOpenStream, buildProgress, thisProcess } from '../build-ledger-rows.ts'
import { failureOf } from '../failure-of.ts'
import { anotherProcess, type Current, charge, commit, insertTeam } from './store-actions.ts'

const row = (sequence: number, changes = `changes of ${sequence}`) => ({
  sequence,
  writtenAt: 1_700_000_000_000 + sequence,
  wallAt: 1_700_000_000_001 + sequence,
  changes,
})

export function describeWindowRows(current: Current): void {
  const write = (sequence: number, drop: readonly { from: number; through: number }[] = []) =>
    commit(current(), { windows: { row: row(sequence), drop } })
  const sequences = async () => (await current().read.readWindowRows()).map(({ sequence }) => sequence)

  test('rows are read back in order, as written', async () => {
    expect(await current().read.readWindowRows()).toEqual([])
    for (const sequence of [9, 10, 100]) await write(sequence)
    expect(await current().read.readWindowRows()).toEqual([row(9), row(10), row(100)])
  })

  test('a row that is written again has its last text: the commit before it was ambiguous', async () => {
    await write(1)
    await commit(current(), { windows: { row: row(1, 'more'), drop: [] } })
    expect(await current().read.readWindowRows()).toEqual([row(1, 'more')])
  })

  test('ranges are dropped with the row that replaces them, both ends included, and without one', async () => {
    for (const sequence of [1, 2, 3, 4, 5, 6]) await write(sequence)
    await write(7, [
      { from: 0, through: 2 },
      { from: 4, through: 5 },
    ])
    expect(await sequences()).toEqual([3, 6, 7])
    await commit(current(), { windows: { row: null, drop: [{ from: 0, through: 6 }] } })
    expect(await sequences()).toEqual([7])
  })

  test('a row and the charges of its batch are written together or not at all', async () => {
    const bad = { ...buildCharge('b'), periods: { team: null as unknown as number, key: 1000 } }
    await failureOf(commit(current(), { charges: [bad], windows: { row: row(1), drop: [] } }))
    expect(await sequences()).toEqual([])
    await commit(current(), { charges: [buildCharge('a')], windows: { row: row(1), drop: [] } })
    expect(await sequences()).toEqual([1])
  })

  test('recent charges of all teams are found by the time of their calls; refunds and older ones are not', async () => {
    for (const team of ['team-1', 'team-2']) await insertTeam(current(), team)
    const at = 1_700_000_000_000
    const idAt = (moment: number) => `${firstIdOf(moment)}-7000-8000-000000000001`
    const call = (moment: number, changes: object = {}) =>
      buildCharge(idAt(moment), { admittedAt: moment, ...changes })
    await charge(
      current(),
      call(at - 900_000),
      call(at),
      call(at + 1),
      call(at + 2, { teamId: 'team-2' }),
      call(at + 3, { outcome: 'refunded', cost: -1 }),
      call(at - 90_000, { admittedAt: at + 4, outcome: 'interrupted' }),
    )
    const found = await current().read.readRecentCharges({ since: at, firstCallId: firstIdOf(at - 100_000) })
    const byTime = found.toSorted((left, right) => left.admittedAt - right.admittedAt)
    expect(byTime.map(({ teamId, admittedAt }) => [teamId, admittedAt - at])).toEqual([
      ['team-1', 1],
      ['team-2', 2],
      ['team-1', 4],
    ])
    expect(byTime[0]).toEqual({
      teamId: 'team-1',
      keyHash: 'key-1',
      modelId: 'model-1',
      units: { inputText: 1 },
      admittedAt: at + 1,
    })
  })

  test('streams of other processes report what they have used and reserved', async () => {
    await commit(current(), {
      opened: [buildOpenStream('a', { reservedTokens: 40 })],
      progress: [buildProgress('a', { units: { outputText: 90 } })],
    })
    expect(await current().read.readLeftStreams(thisProcess)).toEqual([])
    expect(await current().read.readLeftStreams(anotherProcess)).toEqual([
      {
        teamId: 'team-1',
        keyHash: 'key-1',
        modelId: 'model-1',
        units: { outputText: 90 },
        reservedTokens: 40,
      },
    ])
  })
}
