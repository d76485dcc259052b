// Engine tests: use above holds. It is stored with the charge, once, and cleared only for the version that was seen.
//
// Fails if a repeated commit adds the excess again, and if clearing does not check the version.
import { expect, test } from 'bun:test'
import type { HoldExcess } from '../../../ledger/hold-ratio.ts'
import { buildCharge } from '../build-ledger-rows.ts'
import { type Current, charge } from './store-actions.ts'

export function describeUncharged(current: Current): void {
  const excess = (changes: Partial<HoldExcess> = {}): HoldExcess => ({
    ...{ modelId: 'model-1', medium: 'audio', amount: 70, ratio: 8_000_000 },
    ...changes,
  })
  const read = async (after: number | null = null) => {
    const { uncharged, version } = await current().read.readDirectory({ after })
    return { sums: uncharged.map(({ version: _, ...sum }) => sum), version }
  }
  const sum = (uncharged_nano: number, open_nano: number, ratio: number) => ({
    ...{ team_id: 'team-1', model_id: 'model-1', endpoint: 'chat', medium: 'audio' },
    ...{ uncharged_nano, open_nano, ratio },
  })
  const audit = {
    ...{ at: 1, actor: 'organiser', action: 'team.clear_uncharged', team_id: 'team-1', target: 'team-1' },
    ...{ before: null, after: null, reason: 'why' },
  }

  test('an excess is added with its charge, however often and with whatever it is written', async () => {
    const row = buildCharge('a', { endpoint: 'chat', excess: excess() })
    await charge(current(), row, row, buildCharge('b'))
    await charge(current(), row)
    const first = await read()
    expect(first).toEqual({ sums: [sum(70, 70, 8_000_000)], version: 1 + 1 })
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 2, costNano: 20 })
    await charge(
      current(),
      buildCharge('c', { endpoint: 'chat', excess: excess({ amount: 5, ratio: 2_000_000 }) }),
    )
    expect((await read(first.version)).sums).toEqual([sum(75, 75, 8_000_000)])
  })

  test('charges without an excess leave the directory unchanged', async () => {
    await charge(current(), buildCharge('a'))
    expect(await read()).toEqual({ sums: [], version: 0 })
  })

  test('a clearing keeps the sum, and is not made if another excess was added meanwhile', async () => {
    const { write } = current()
    await charge(current(), buildCharge('a', { endpoint: 'chat', excess: excess() }))
    const { version } = await read()
    await charge(current(), buildCharge('b', { endpoint: 'chat', excess: excess() }))
    expect(await write.clearUncharged({ teamId: 'team-1', seen: version, audit })).toBeNull()
    expect((await read()).sums).toEqual([sum(140, 140, 8_000_000)])
    const seen = (await read()).version
    expect(await write.clearUncharged({ teamId: 'team-1', seen, audit })).toBe(seen + 1)
    expect((await read()).sums).toEqual([sum(140, 0, 1_000_000)])
  })
}
