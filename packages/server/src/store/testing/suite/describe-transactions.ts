// Engine tests: transactions.
import { expect, test } from 'bun:test'
import { buildCharge, buildOpenStream } from '../build-ledger-rows.ts'
import { failureOf } from '../failure-of.ts'
import { type Current, charge, commit, readTotals, sweep } from './store-actions.ts'

export function describeTransactions(current: Current): void {
  test('a batch with one bad row writes none of its rows, and the next one works', async () => {
    const bad = buildCharge('b', { keyHash: null as unknown as string })
    await failureOf(commit(current(), { opened: [buildOpenStream('s')], charges: [buildCharge('a'), bad] }))
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 0, costNano: 0 })
    expect(await sweep(current())).toMatchObject({ charged: 0 })
    await charge(current(), buildCharge('a'))
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 10, 10] })
  })

  test('a read sees every confirmed write', async () => {
    for (const number of [1, 2, 3, 4, 5]) {
      await charge(current(), buildCharge(`call-${number}`))
      expect((await current().read.sumCharges({ teamId: 'team-1' })).count).toBe(number)
    }
  })
}
