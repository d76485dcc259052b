// Engine tests: streams that are being served.
import { expect, test } from 'bun:test'
import { buildCharge, buildOpenStream, buildProgress } from '../build-ledger-rows.ts'
import { type Current, charge, commit, readTotals, sweep } from './store-actions.ts'

export function describeStreams(current: Current): void {
  test('a stream that a crash left open is charged at its last progress, once', async () => {
    await commit(current(), { opened: [buildOpenStream('a', { periods: { team: 100, key: 200 } })] })
    await commit(current(), { progress: [buildProgress('a')] })
    await commit(current(), { progress: [buildProgress('a', { cost: 7 })] })
    expect(await sweep(current())).toMatchObject({ charged: 1 })
    expect(await sweep(current())).toMatchObject({ charged: 0 })
    expect(await readTotals(current())).toEqual({
      event: [0, 7, 7],
      'team:team-1': [100, 7, 7],
      'key:key-1': [200, 7, 7],
      'key_model:key-1:model-1': [200, 7, 7],
    })
  })

  test('one without progress is charged at nothing', async () => {
    await commit(current(), { opened: [buildOpenStream('a')] })
    expect(await sweep(current())).toMatchObject({ charged: 1 })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 0 })
  })

  test('a charged one is no longer open, also within one batch', async () => {
    await commit(current(), { opened: [buildOpenStream('a')] })
    await charge(current(), buildCharge('a', { kind: 'stream' }))
    await commit(current(), {
      opened: [buildOpenStream('b')],
      charges: [buildCharge('b', { kind: 'stream' })],
    })
    expect(await sweep(current())).toMatchObject({ charged: 0 })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 2, costNano: 20 })
  })

  test('a dropped one is not charged', async () => {
    await commit(current(), { opened: [buildOpenStream('a'), buildOpenStream('b')] })
    await commit(current(), { dropped: [{ teamId: 'team-1', callId: 'a' }] })
    expect(await sweep(current())).toMatchObject({ charged: 1 })
  })

  test('opening twice keeps the first row with its progress', async () => {
    await commit(current(), { opened: [buildOpenStream('a')] })
    await commit(current(), { progress: [buildProgress('a')] })
    await commit(current(), { opened: [buildOpenStream('a')] })
    expect(await sweep(current())).toMatchObject({ charged: 1 })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 5 })
  })

  test('closing, dropping and progress touch only the stream of that team', async () => {
    const ofOther = { teamId: 'team-2', callId: 'a' }
    await commit(current(), { opened: [buildOpenStream('a'), buildOpenStream('a', { teamId: 'team-2' })] })
    await commit(current(), {
      dropped: [ofOther],
      progress: [buildProgress('a', { teamId: 'team-2', cost: 99 })],
    })
    expect(await sweep(current())).toMatchObject({ charged: 1 })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 0 })
    expect(await current().read.sumCharges({ teamId: 'team-2' })).toEqual({ count: 0, costNano: 0 })
  })

  test('progress of a stream that is not open is accepted', async () => {
    await commit(current(), {
      progress: [buildProgress('gone')],
      dropped: [{ teamId: 'team-1', callId: 'gone' }],
    })
    expect(await sweep(current())).toMatchObject({ charged: 0 })
  })

  test('a charge is not doubled by a restart if its stream stayed open', async () => {
    await commit(current(), { opened: [buildOpenStream('a')], progress: [buildProgress('a', { cost: 3 })] })
    await charge(current(), buildCharge('a'))
    await sweep(current())
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 10 })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 10, 10] })
  })
}
