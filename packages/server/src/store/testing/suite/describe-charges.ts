// Engine tests: charges and the totals that they change.
import { expect, test } from 'bun:test'
import { buildCharge } from '../build-ledger-rows.ts'
import { atOnce, type Current, charge, commit, readTotals } from './store-actions.ts'

export function describeCharges(current: Current): void {
  test('an empty ledger has no totals and no charges', async () => {
    expect(await current().read.readTotals()).toEqual([])
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 0, costNano: 0 })
  })

  test('a charge moves the totals of its team, its key, and its key with its model', async () => {
    await charge(current(), buildCharge('a', { periods: { team: 100, key: 200 } }))
    expect(await current().read.readTotals()).toHaveLength(4)
    expect(await readTotals(current())).toEqual({
      event: [0, 10, 10],
      'team:team-1': [100, 10, 10],
      'key:key-1': [200, 10, 10],
      'key_model:key-1:model-1': [200, 10, 10],
    })
  })

  test('charges of one batch add up per owner', async () => {
    await charge(
      current(),
      buildCharge('a', { cost: 1 }),
      buildCharge('b', { cost: 2, modelId: 'model-2' }),
      buildCharge('c', { cost: 4, keyHash: 'key-2' }),
      buildCharge('d', { cost: 8, keyHash: 'key-3', teamId: 'team-2' }),
    )
    expect(await readTotals(current())).toEqual({
      event: [0, 15, 15],
      'team:team-1': [1000, 7, 7],
      'team:team-2': [1000, 8, 8],
      'key:key-1': [1000, 3, 3],
      'key:key-2': [1000, 4, 4],
      'key:key-3': [1000, 8, 8],
      'key_model:key-1:model-1': [1000, 1, 1],
      'key_model:key-1:model-2': [1000, 2, 2],
      'key_model:key-2:model-1': [1000, 4, 4],
      'key_model:key-3:model-1': [1000, 8, 8],
    })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 3, costNano: 7 })
    expect(await current().read.sumCharges({ teamId: 'team-2' })).toEqual({ count: 1, costNano: 8 })
  })

  test('a call is charged once, however often its charge is written', async () => {
    const row = buildCharge('a')
    await charge(current(), row)
    await charge(current(), row)
    await charge(current(), { ...row, cost: 999 }, buildCharge('b', { cost: 1 }))
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 2, costNano: 11 })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 11, 11] })
  })

  // Only rows that were really inserted may change the totals, so the second copy must not change them.
  test('a call twice in one batch is charged once', async () => {
    await charge(current(), buildCharge('a'), buildCharge('a'))
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 10 })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 10, 10] })
  })

  test('two teams may have a call with the same id', async () => {
    await charge(current(), buildCharge('a'), buildCharge('a', { teamId: 'team-2', keyHash: 'key-2' }))
    expect(await readTotals(current())).toMatchObject({
      'team:team-1': [1000, 10, 10],
      'team:team-2': [1000, 10, 10],
    })
  })

  test('a new period starts from zero, and the lifetime total continues', async () => {
    await charge(current(), buildCharge('a'))
    await charge(current(), buildCharge('b', { periods: { team: 5000, key: 1000 }, cost: 3 }))
    expect(await readTotals(current())).toEqual({
      event: [0, 13, 13],
      'team:team-1': [5000, 3, 13],
      'key:key-1': [1000, 13, 13],
      'key_model:key-1:model-1': [1000, 13, 13],
    })
  })

  test('a late charge of a past period moves only the lifetime total', async () => {
    const late = buildCharge('b', { periods: { team: 1000, key: 1000 }, cost: 3 })
    await charge(current(), buildCharge('a', { periods: { team: 5000, key: 5000 } }))
    await charge(current(), late)
    expect(await readTotals(current())).toEqual({
      event: [0, 13, 13],
      'team:team-1': [5000, 10, 13],
      'key:key-1': [5000, 10, 13],
      'key_model:key-1:model-1': [5000, 10, 13],
    })
  })

  test('charges of two periods in one batch each count in their own', async () => {
    await charge(
      current(),
      buildCharge('a', { periods: { team: 5000, key: 1000 }, cost: 1 }),
      buildCharge('b', { periods: { team: 1000, key: 1000 }, cost: 2 }),
      buildCharge('c', { periods: { team: 5000, key: 1000 }, cost: 4 }),
    )
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [5000, 5, 7] })
  })

  test('a charge without cost is kept', async () => {
    await charge(current(), buildCharge('a', { cost: 0, outcome: 'failed', flag: 'usage_absent' }))
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 1, costNano: 0 })
  })

  test('amounts up to the largest stay exact', async () => {
    const largest = 9_007_198_999_999_999
    await charge(current(), buildCharge('a', { cost: largest - 1 }), buildCharge('b', { cost: 1 }))
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, largest, largest] })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 2, costNano: largest })
  })

  test('a batch as large as the writer makes them', async () => {
    const rows = Array.from({ length: 2000 }, (_, number) => buildCharge(`call-${number}`, { cost: 1 }))
    await charge(current(), ...rows)
    await charge(current(), ...rows)
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 2000, costNano: 2000 })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 2000, 2000] })
  })

  test('batches written at the same time lose nothing', async () => {
    const names = Array.from({ length: atOnce }, (_, number) => `call-${number}`)
    await Promise.all(
      names.map((name, number) =>
        charge(current(), buildCharge(name, { keyHash: `key-${number % 3}` }), buildCharge(`${name}-b`)),
      ),
    )
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 200, 200] })
  })

  test('an empty batch is accepted', async () => {
    await commit(current(), {})
    expect(await current().read.readTotals()).toEqual([])
  })
}
