// Engine tests: sums of spend. They equal those of the rows, over any range, and the proof finds differences.
import { describe, expect, test } from 'bun:test'
import type { CallRecord } from '../../../ledger/call-record.ts'
import type { Charge } from '../../../ledger/charge.ts'
import { refundOf } from '../../../ledger/refund.ts'
import { proveTotals } from '../../prove-totals.ts'
import { openProvenPoints } from '../../proven-points.ts'
import type { AdjustmentsTable } from '../../schema/ledger.ts'
import { bucketMs } from '../../schema/spend.ts'
import type { SpendPlace } from '../../statements/spend-export.ts'
import type { SpendSum, SumSpendInput } from '../../statements/spend-sums.ts'
import { buildAuditEntry } from '../build-directory-rows.ts'
import { buildAdjustment, buildCallRecord, buildCharge } from '../build-ledger-rows.ts'
import { type Current, charge } from './store-actions.ts'

const start = 1_795_000_000_000 - (1_795_000_000_000 % bucketMs)

/** An id of the form that calls have: UUID version 7 of that millisecond. */
function idAt(unixMs: number, number: number): string {
  const hex = unixMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`
}

/** Calls of two teams over half an hour, at times that repeat nothing. */
function buildWorld() {
  const charges: Charge[] = []
  const refusals: CallRecord[] = []
  for (let number = 0; number < 120; number += 1) {
    const at = start + ((number * 7919 * 211) % (6 * bucketMs))
    const parties = { teamId: `team-${number % 2}`, keyHash: `key-${number % 4}` }
    const callId = idAt(at, number)
    if (number % 5 === 0) {
      const isKnown = number % 10 === 0
      const code = isKnown ? 'rpm_exceeded' : 'model_not_found'
      const change = {
        ...parties,
        outcome: 'refused',
        code,
        count: 1 + (number % 3),
        modelServed: null,
      } as const
      refusals.push(buildCallRecord(callId, { ...change, modelAsked: 'model-1', receivedAt: at }))
      continue
    }
    const call = buildCharge(callId, {
      ...parties,
      modelId: `model-${number % 3}`,
      cost: 1000 + number,
      // Admitted later than the id was made.
      admittedAt: at + 40_000,
    })
    charges.push(call)
    if (number % 7 === 0)
      charges.push({ ...call, callId: refundOf(callId), cost: -call.cost, outcome: 'refunded' })
  }
  return { charges, refusals }
}

const everything: SumSpendInput = {
  from: null,
  until: null,
  teamId: null,
  keyHash: null,
  modelId: null,
  by: [],
}

const timeOf = (callId: string) => Number.parseInt(callId.slice(0, 8) + callId.slice(9, 13), 16)

/** The slow, obvious way. */
function sumPlainly(
  { charges, refusals }: ReturnType<typeof buildWorld>,
  corrections: readonly AdjustmentsTable[],
  input: SumSpendInput,
): SpendSum[] {
  const rows = [
    ...corrections.map(({ call_id, team_id, key_hash, model_id, amount_nano }) => ({
      ...{ callId: call_id ?? '', teamId: team_id, keyHash: key_hash ?? '', modelId: model_id ?? '' },
      ...{ code: '', cost: amount_nano, calls: 0, refused: 0 },
    })),
    ...charges.map(({ callId, teamId, keyHash, modelId, cost, outcome }) => ({
      ...{ callId, teamId, keyHash, modelId, code: '', cost, refused: 0 },
      calls: outcome === 'refunded' ? 0 : 1,
    })),
    ...refusals.map(({ callId, teamId, keyHash, code, count }) => ({
      ...{ callId, teamId, keyHash, code: code ?? '', cost: 0, calls: 0, refused: count },
      modelId: code === 'rpm_exceeded' ? 'model-1' : '',
    })),
  ].filter(
    row =>
      (input.from === null || timeOf(row.callId) >= input.from) &&
      (input.until === null || timeOf(row.callId) < input.until) &&
      (input.teamId === null || row.teamId === input.teamId) &&
      (input.keyHash === null || row.keyHash === input.keyHash) &&
      (input.modelId === null || row.modelId === input.modelId),
  )
  const sums = new Map<string, SpendSum>()
  for (const row of rows) {
    const sum = {
      bucketStart: input.by.includes('bucket_start')
        ? Math.floor(timeOf(row.callId) / bucketMs) * bucketMs
        : null,
      teamId: input.by.includes('team_id') ? row.teamId : null,
      keyHash: input.by.includes('key_hash') ? row.keyHash : null,
      modelId: input.by.includes('model_id') ? row.modelId : null,
      code: input.by.includes('code') ? row.code : null,
    }
    const name = JSON.stringify(sum)
    const known = sums.get(name) ?? { ...sum, calls: 0, refused: 0, cost: 0 }
    sums.set(name, {
      ...known,
      calls: known.calls + row.calls,
      refused: known.refused + row.refused,
      cost: known.cost + row.cost,
    })
  }
  return [...sums.values()]
}

const sorted = (sums: readonly SpendSum[]) => sums.map(sum => JSON.stringify(sum)).sort()

export function describeSpend(current: Current): void {
  const fill = async () => {
    const world = buildWorld()
    await charge(current(), ...world.charges)
    // A repeated commit counts nothing twice.
    await charge(current(), ...world.charges.slice(0, 30))
    await current().write.recordCalls({ calls: world.refusals })
    await current().write.recordCalls({ calls: world.refusals.slice(0, 5) })
    return world
  }

  test('nothing is spent at first', async () => {
    expect(await current().read.sumSpend(everything)).toEqual([])
    expect(await current().read.readFirstBucket({ teamId: null })).toBeNull()
  })

  /** For every ninth charge, up and down. */
  const correct = async ({ charges }: ReturnType<typeof buildWorld>) => {
    const corrections = charges
      .filter(({ outcome }, index) => outcome !== 'refunded' && index % 9 === 0)
      .map(({ callId, teamId, keyHash, modelId }, index) =>
        buildAdjustment(`fix-${index}`, {
          ...{ call_id: callId, team_id: teamId, key_hash: keyHash, model_id: modelId },
          amount_nano: index % 2 === 0 ? -300 : 700,
        }),
      )
    const written: AdjustmentsTable[] = []
    for (const adjustment of corrections) {
      const input = { adjustment, audit: buildAuditEntry('call.adjust'), slot: 0, seenLeft: null }
      // Nothing is left to refund of a refunded call.
      if ((await current().write.writeAdjustment(input)) === 'written') written.push(adjustment)
    }
    return written
  }

  // Fails without the part at either end, if refunds count as calls, and without corrections at either end.
  test('sums match the rows, over any range and by any grouping', async () => {
    const world = await fill()
    const corrections = await correct(world)
    expect(corrections.length).toBeGreaterThan(5)
    const ranges = [
      [null, null],
      [start, start + 6 * bucketMs],
      [start + 1234, start + 3 * bucketMs + 77],
      [start + bucketMs + 10_000, start + bucketMs + 200_000],
      [start + 299_999, start + bucketMs + 1],
      // Both ends have refunds.
      [start + 2 * bucketMs + 250_000, start + 6 * bucketMs - 20_000],
      [start + 2 * bucketMs, null],
      [null, start + 4 * bucketMs + 123_456],
    ] as const
    const dimensions = [
      [],
      ['team_id'],
      ['team_id', 'key_hash'],
      ['model_id'],
      ['code'],
      ['bucket_start', 'model_id', 'code'],
    ] as const
    const filters = [
      {},
      { teamId: 'team-1' },
      { keyHash: 'key-2' },
      { modelId: 'model-1' },
      { teamId: 'team-0', modelId: 'model-2' },
    ]
    for (const [from, until] of ranges) {
      for (const by of dimensions) {
        for (const filter of filters) {
          const input = { ...everything, from, until, by, ...filter }
          expect(sorted(await current().read.sumSpend(input))).toEqual(
            sorted(sumPlainly(world, corrections, input)),
          )
        }
      }
    }
    expect(await current().read.readFirstBucket({ teamId: null })).toBe(start)
    expect(await current().read.readFirstBucket({ teamId: 'nobody' })).toBeNull()
  })

  describe('the proof', () => {
    test('slices add up to all rows, and stop at the end', async () => {
      const world = await fill()
      let cost = 0
      let rows = 0
      let afterId = ''
      for (;;) {
        const slice = await current().read.sumChargeSlice({
          teamId: 'team-0',
          afterId,
          endId: 'zzzz',
          limit: 7,
        })
        cost += slice.costs.reduce((sum, each) => sum + each.cost, 0)
        rows += slice.rows
        if (slice.nextAfter === null) break
        afterId = slice.nextAfter
      }
      const own = world.charges.filter(({ teamId }) => teamId === 'team-0')
      expect(rows).toBe(own.length)
      expect(cost).toBe(own.reduce((sum, each) => sum + each.cost, 0))
    })

    test('the newest charges come with the totals and sums of the same moment', async () => {
      const world = await fill()
      const fromId = idAt(start + 3 * bucketMs, 0)
      const { charges, rows, totals, buckets } = await current().read.readLedgerEnd({
        teamId: 'team-1',
        fromId,
      })
      const own = world.charges.filter(({ teamId }) => teamId === 'team-1')
      const newest = own.filter(({ callId }) => callId >= fromId)
      const sum = (list: readonly { readonly cost: number }[]) =>
        list.reduce((all, { cost }) => all + cost, 0)
      expect(rows).toBe(newest.length)
      expect(sum(charges)).toBe(sum(newest))
      expect(totals.get('team:team-1')).toBe(sum(own))
      expect(sum(buckets)).toBe(sum(own))
      expect(await current().read.listSpendingTeams()).toEqual(['team-0', 'team-1'])
    })

    test('it continues where it was right, for a day, and from the first row that differs', async () => {
      const world = await fill()
      let now = start + 6 * bucketMs + 3_600_000
      const prove = async (isWhole = false) => {
        const { ok, rows, rows_before } = await proveTotals(
          {
            read: current().read,
            points: openProvenPoints(current()),
            clock: () => now,
            stopwatch: () => 0,
            pause: async () => undefined,
          },
          { teamId: null, isWhole },
        )
        return [ok, rows, rows_before]
      }
      const all = world.charges.length
      const ofTeam = world.charges.filter(({ teamId }) => teamId === 'team-1').length
      expect(await prove()).toEqual([true, all, 0])
      expect(await prove()).toEqual([true, all, all])
      expect(await prove(true)).toEqual([true, all, 0])
      // It is before the point of its team, which is summed from its first row on.
      await charge(current(), buildCharge(idAt(start, 1000), { teamId: 'team-0', admittedAt: start }))
      expect(await prove()).toEqual([true, all + 1, ofTeam])
      expect(await prove()).toEqual([true, all + 1, all + 1])
      // Newer ones are summed by each proof until they are ten minutes old.
      await charge(current(), buildCharge(idAt(now - 60_001, 1001), { teamId: 'team-0', admittedAt: now }))
      await charge(current(), buildCharge(idAt(now, 1002), { teamId: 'team-1', admittedAt: now }))
      expect(await prove()).toEqual([true, all + 3, all + 1])
      now += 11 * 60_000
      await prove()
      expect(await prove()).toEqual([true, all + 3, all + 3])
      now += 24 * 3_600_000
      expect(await prove()).toEqual([true, all + 3, 0])
    })

    test('if several ask at once one makes it, and the next when it is due', async () => {
      const { claimSpendCheck, noteSpendCheck } = current().write
      const ask = (now: number) => claimSpendCheck({ now, before: now - 1000 })
      expect((await Promise.all([ask(5000), ask(5000), ask(5001)])).filter(Boolean)).toEqual([true])
      expect(await current().read.readSpendCheck()).toBeNull()
      await noteSpendCheck({ value: '{"wrong":[]}', now: 5100 })
      expect(await ask(6000)).toBe(false)
      expect(await ask(6101)).toBe(true)
      expect(await current().read.readSpendCheck()).toBe('{"wrong":[]}')
    })
  })

  test('rows of an export come in order, with refusals in between on request', async () => {
    const world = await fill()
    for (const withRefused of [false, true]) {
      for (const limit of [1, 4, 1000]) {
        const found: string[] = []
        for (let after: SpendPlace | null = { callId: '', adjustmentId: null }; after !== null; ) {
          const slice: Awaited<ReturnType<ReturnType<Current>['read']['readSpendRows']>> =
            await current().read.readSpendRows({
              ...{ teamId: 'team-0', after, fromId: '', endId: 'zzzz', keyHash: null, modelId: null },
              withRefused,
              limit,
            })
          found.push(...slice.rows.map(({ callId }) => callId))
          after = slice.nextAfter
        }
        const own = [...world.charges, ...(withRefused ? world.refusals : [])]
          .filter(({ teamId }) => teamId === 'team-0')
          .map(({ callId }) => callId)
        expect(found).toEqual(own.sort())
      }
    }
  })
}
