// Engine tests: the record of calls.
import { expect, test } from 'bun:test'
import { isSealed } from '../../../evidence/seal-call.ts'
import { type ReadCallsPageInput, rowsPerPage } from '../../statements/calls.ts'
import {
  buildCallFacts,
  buildCallRecord,
  buildCharge,
  buildOpenStream,
  buildProgress,
} from '../build-ledger-rows.ts'
import { type Current, charge, commit, sweep } from './store-actions.ts'

const everything: ReadCallsPageInput = {
  teamId: null,
  keyHash: null,
  outcome: null,
  code: null,
  endpoint: null,
  model: null,
  tool: null,
  sessionId: null,
  undelivered: null,
  from: null,
  until: null,
  beforeId: null,
  limit: 100,
}

/** An id of the form that calls have: UUID version 7 of that millisecond. */
function idAt(unixMs: number, last = '1'): string {
  const hex = unixMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-00000000000${last}`
}

export function describeCalls(current: Current): void {
  const readPage = (input: Partial<ReadCallsPageInput> = {}) =>
    current().read.readCallsPage({ ...everything, ...input })
  const read = async (input: Partial<ReadCallsPageInput> = {}) => (await readPage(input)).calls
  const idsOf = async (input: Partial<ReadCallsPageInput>) => (await read(input)).map(({ callId }) => callId)
  const record = (...calls: ReturnType<typeof buildCallRecord>[]) => current().write.recordCalls({ calls })

  test('an empty record', async () => {
    expect(await read()).toEqual([])
    expect(await current().read.findCall({ teamId: null, callId: 'a' })).toBeNull()
  })

  test('a charge brings the record of its call, sealed', async () => {
    const facts = buildCallFacts({ firstByteMs: 40, upstreamKey: 'k1' })
    await charge(current(), buildCharge('a', { facts, cost: 12, units: { inputText: 3 } }))
    const [call] = await read()
    expect(call).toMatchObject({
      ...facts,
      callId: 'a',
      teamId: 'team-1',
      keyHash: 'key-1',
      modelServed: 'model-1',
      outcome: 'completed',
      cost: 12,
      units: { inputText: 3 },
      receivedAt: 2000,
      endedAt: 2500,
      durationMs: 500,
      count: 1,
    })
    if (call === undefined) throw new Error('There is no call.')
    expect(isSealed(call, call)).toBe(true)
    expect(isSealed({ ...call, cost: 13 }, call)).toBe(false)
  })

  test('the digests of a call are kept next to what proves them', async () => {
    await record(buildCallRecord('a'), buildCallRecord('b', { texts: null }))
    const [without, call] = await read()
    if (call === undefined || without === undefined) throw new Error('There are no calls.')
    expect(without).toMatchObject({ texts: null, textsSalt: null, textsHash: null })
    expect(isSealed(without, without)).toBe(true)
    expect(call.textsSalt).toHaveLength(16)
    expect(call.textsHash).toHaveLength(32)
    expect(isSealed({ ...call, texts: null }, { ...call, textsSalt: null })).toBe(true)
  })

  test('a repeated charge changes nothing in the record', async () => {
    const row = buildCharge('a', { facts: buildCallFacts() })
    await charge(current(), row)
    const before = await read()
    await charge(current(), row)
    await charge(current(), { ...row, cost: 99 })
    expect(await read()).toEqual(before)
  })

  test('a repeated charge together with a new one brings only the record of the new one', async () => {
    const facts = buildCallFacts()
    const ended = buildCharge('a')
    await charge(current(), ended)
    await charge(current(), { ...ended, facts }, buildCharge('b', { facts }))
    expect(await idsOf({})).toEqual(['b'])
  })

  test('many commits are filed at once for all waiting readers, and each call is there once', async () => {
    const ids = Array.from({ length: 80 }, (_, index) => `call-${String(index).padStart(2, '0')}`)
    for (const id of ids) await charge(current(), buildCharge(id, { facts: buildCallFacts() }))
    const pages = await Promise.all([
      idsOf({}),
      idsOf({}),
      current()
        .fileCalls()
        .then(() => idsOf({})),
    ])
    for (const page of pages) expect(page).toEqual(ids.toReversed())
    expect(await current().read.hasUnfiledCalls(null)).toBe(false)
  })

  test('a refund and a charge without facts bring none', async () => {
    await charge(current(), buildCharge('a'))
    await charge(current(), buildCharge('a/refund', { outcome: 'refunded', facts: buildCallFacts() }))
    expect(await read()).toEqual([])
  })

  test('a stream cut off by a crash is on record with its last progress', async () => {
    const facts = buildCallFacts({ modelAsked: 'fast' })
    await commit(current(), { opened: [buildOpenStream('a', { facts })] })
    await commit(current(), { progress: [buildProgress('a')] })
    await sweep(current())
    expect(await read()).toMatchObject([
      { callId: 'a', outcome: 'interrupted', cost: 5, modelAsked: 'fast', client: facts.client },
    ])
  })

  test('refused calls are recorded with their figures and their number, once', async () => {
    const refusal = { level: 'team', limit: '1', used: '1', held: '0', reset: null }
    const refused = buildCallRecord('a', {
      outcome: 'refused',
      code: 'rpm_exceeded',
      status: 429,
      refusal,
      count: 7,
      lastAt: 9,
    })
    await record(refused)
    await record(refused)
    const calls = await read()
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject(refused)
  })

  test('every filter', async () => {
    const client = { ...buildCallFacts().client, tool: 'codex', sessionId: 's-1' }
    await record(
      buildCallRecord('a'),
      buildCallRecord('b', { teamId: 'team-2', keyHash: 'key-2' }),
      buildCallRecord('c', { outcome: 'refused', endpoint: 'messages', code: 'rpm_exceeded' }),
      buildCallRecord('d', { modelAsked: 'fast', modelServed: 'model-9', client }),
    )
    expect(await idsOf({})).toEqual(['d', 'c', 'b', 'a'])
    expect(await idsOf({ teamId: 'team-2' })).toEqual(['b'])
    expect(await idsOf({ keyHash: 'key-2' })).toEqual(['b'])
    expect(await idsOf({ outcome: 'refused' })).toEqual(['c'])
    expect(await idsOf({ code: 'rpm_exceeded' })).toEqual(['c'])
    expect(await idsOf({ endpoint: 'messages' })).toEqual(['c'])
    expect(await idsOf({ model: 'fast' })).toEqual(['d'])
    expect(await idsOf({ model: 'model-9' })).toEqual(['d'])
    expect(await idsOf({ tool: 'codex', sessionId: 's-1' })).toEqual(['d'])
    expect(await idsOf({ teamId: 'team-2', tool: 'codex' })).toEqual([])
  })

  test('pages, and times by the ids', async () => {
    const ids = [1000, 2000, 3000, 4000].map(time => idAt(time))
    await record(...ids.map(id => buildCallRecord(id)))
    const newest = ids.toReversed()
    expect(await idsOf({ limit: 2 })).toEqual(newest.slice(0, 2))
    expect(await idsOf({ limit: 2, beforeId: ids[2] ?? '' })).toEqual(newest.slice(2))
    expect(await idsOf({ from: 2000, until: 4000 })).toEqual(newest.slice(1, 3))
    expect(await idsOf({ from: 5000 })).toEqual([])
    expect((await readPage({ limit: 2 })).nextBefore).toBe(ids[2] ?? '')
    expect((await readPage({ limit: 4 })).nextBefore).toBeNull()
  })

  test('a filter that few calls pass stops after a number of rows and continues', async () => {
    const count = rowsPerPage + 10
    const ids = Array.from({ length: count }, (_, index) => idAt(1000 + index))
    for (let start = 0; start < count; start += 500)
      await record(
        ...ids
          .slice(start, start + 500)
          .map((id, index) => buildCallRecord(id, start + index === 3 ? { endpoint: 'videos' } : {})),
      )
    for (const teamId of ['team-1', null]) {
      const first = await readPage({ teamId, endpoint: 'videos' })
      expect(first).toEqual({ calls: [], nextBefore: ids[10] ?? '' })
      const second = await readPage({ teamId, endpoint: 'videos', beforeId: first.nextBefore })
      expect(second.calls.map(({ callId }) => callId)).toEqual([ids[3] ?? ''])
      expect(second.nextBefore).toBeNull()
    }
  })

  test('the calls of a team in order of arrival, without refused or repeated ones', async () => {
    const ids = [1000, 2000, 3000, 4000].map(time => idAt(time))
    await record(
      ...ids.map(id => buildCallRecord(id, { outcome: 'completed', cost: 5 })),
      buildCallRecord(idAt(1500), { outcome: 'refused' }),
      buildCallRecord(idAt(1600), { outcome: 'replayed' }),
      buildCallRecord(idAt(1700), { teamId: 'team-2', outcome: 'completed' }),
    )
    const all = { teamId: 'team-1', from: 0, until: 0xffff_ffff_ffff, afterId: null, limit: 100 }
    const after = async (input: object) =>
      (await current().read.readCallsAfter({ ...all, ...input })).map(({ callId }) => callId)
    expect(await after({})).toEqual(ids)
    expect(await after({ limit: 2 })).toEqual(ids.slice(0, 2))
    expect(await after({ limit: 2, afterId: ids[1] ?? '' })).toEqual(ids.slice(2))
    expect(await after({ from: 2000, until: 4000 })).toEqual(ids.slice(1, 3))
    const [call] = await current().read.readCallsAfter({ ...all, limit: 1 })
    const { client, texts, units, receivedAt, endedAt, keyHash } = buildCallRecord(ids[0] ?? '')
    const { tool, sessionId, parentSession, address } = client
    expect(call).toEqual({
      callId: ids[0] ?? '',
      keyHash,
      tool,
      sessionId,
      parentSession,
      address,
      outcome: 'completed',
      receivedAt,
      endedAt,
      cost: 5,
      units,
      texts,
    })
  })

  test('a call is found by its id, and only by its own team', async () => {
    await record(buildCallRecord('a'))
    expect((await current().read.findCall({ teamId: 'team-1', callId: 'a' }))?.callId).toBe('a')
    expect((await current().read.findCall({ teamId: null, callId: 'a' }))?.callId).toBe('a')
    expect(await current().read.findCall({ teamId: 'team-2', callId: 'a' })).toBeNull()
  })

  test('old calls are deleted in parts, each with the response that it stored', async () => {
    const ids = [1000, 2000, 3000].map(time => idAt(time))
    const stored = { teamId: 'team-1', createdAt: 1, previousCallId: null, response: '{}', input: '[]' }
    await current().write.storeResponses({
      responses: ids.map(callId => ({ ...stored, callId })),
      maxCount: 10,
      maxBytes: 1000,
    })
    await record(
      ...ids.map(id => buildCallRecord(id)),
      buildCallRecord(idAt(1000, '2'), { teamId: 'team-2' }),
    )
    expect(await current().write.deleteOldCalls({ before: 3000, limit: 2 })).toEqual({ deleted: 2 })
    expect(await current().write.deleteOldCalls({ before: 3000, limit: 2 })).toEqual({ deleted: 1 })
    expect(await idsOf({})).toEqual([idAt(3000)])
    const left = await current().read.measureResponses({ teamId: 'team-1', callIds: ids, since: 0 })
    expect(left.map(({ callId }) => callId)).toEqual([idAt(3000)])
  })
}
