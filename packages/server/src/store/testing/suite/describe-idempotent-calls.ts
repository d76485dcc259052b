// Engine tests: stored calls with an Idempotency-Key. Part of the suite of all stores.
import { expect, test } from 'bun:test'
import type { IdempotentCall } from '../../statements/idempotent-calls.ts'
import type { Store } from '../../store.ts'
import { buildCharge, buildOpenStream, emptyBatch, thisProcess } from '../build-ledger-rows.ts'
import { anotherProcess, commit, sweep } from './store-actions.ts'

const day = 24 * 60 * 60 * 1000
const everyByte = Uint8Array.from({ length: 256 }, (_, value) => value)
const reply = { status: 200, headers: '{"content-type":"audio/mpeg"}', body: everyByte }

const call = (callId: string, changes: Partial<IdempotentCall> = {}): IdempotentCall => ({
  teamId: 'team-1',
  keyHash: 'key-1',
  idempotencyKey: 'same',
  route: '/v1/chat/completions',
  bodyDigest: 'aa',
  callId,
  ...changes,
})
const placeOf = ({ teamId, keyHash, idempotencyKey, callId }: IdempotentCall) => ({
  teamId,
  keyHash,
  idempotencyKey,
  callId,
})

export function describeIdempotentCalls(current: () => Store): void {
  const claim = (claimed: IdempotentCall, now = 0, processId = thisProcess.processId) =>
    current().write.claimIdempotentCall({
      call: claimed,
      refundedCallId: null,
      processId,
      now,
      expiresAt: now + day,
    })
  const end = (ended: IdempotentCall, kept: typeof reply | null = reply, mayForget = true) =>
    current().write.endIdempotentCall({ call: placeOf(ended), reply: kept, mayForget })
  const charge = (callId: string, changes: Parameters<typeof buildCharge>[1] = {}) =>
    current().write.commitLedger({ ...emptyBatch, charges: [buildCharge(callId, changes)] })
  const read = (asked: IdempotentCall) => current().read.readIdempotentReply(placeOf(asked))

  test('an answer is returned again byte by byte, whatever its bytes', async () => {
    expect(await claim(call('a'))).toEqual({ kind: 'claimed' })
    expect(await read(call('a'))).toBeNull()
    await charge('a')
    await end(call('a'))
    expect(await claim(call('b'))).toEqual({ kind: 'answered', callId: 'a' })
    const kept = await read(call('a'))
    expect(kept).toMatchObject({ status: 200, headers: reply.headers })
    expect([...(kept?.body ?? [])]).toEqual([...everyByte])
  })

  const register = (processId: string) =>
    current().write.registerProcess({ processId, version: '1', leaseMs: 60_000 })
  const kindOf = async (claimed: Promise<{ kind: string }>) => (await claimed).kind

  // Fails without the check for a living process (`isRunning`), and if `process_id` stays set at the end.
  test('a key is taken while its call runs on a living process, until the end of the call is on record', async () => {
    await register(thisProcess.processId)
    await register(anotherProcess.processId)
    const again = (callId: string) => kindOf(claim(call(callId), 0, anotherProcess.processId))
    await claim(call('a'))
    expect(await again('b')).toBe('running')
    expect(await kindOf(claim(call('b', { bodyDigest: 'bb' })))).toBe('conflict')
    await charge('a')
    expect(await again('c')).toBe('running')
    expect(await end(call('a'), null)).toBe(true)
    expect(await again('d')).toBe('lost')
  })

  test('a key is free after its call has ended without a charge, also for another process', async () => {
    await register(thisProcess.processId)
    await claim(call('a'))
    expect(await end(call('a'), null, false)).toBe(false)
    expect(await kindOf(claim(call('b')))).toBe('running')
    expect(await end(call('a'), null)).toBe(true)
    expect(await kindOf(claim(call('b'), 0, anotherProcess.processId))).toBe('claimed')
  })

  // Fails without the check for a running call: the key would be free, and then the first call charged.
  test('a key of a dead process is taken until its stream is swept, and then as the charge says', async () => {
    await register(thisProcess.processId)
    await claim(call('a'))
    const progress = {
      teamId: 'team-1',
      callId: 'a',
      units: {},
      cost: 5,
      flag: null,
      reported: null,
      progressAt: 1,
    }
    await commit(current(), { opened: [buildOpenStream('a')], progress: [progress] })
    await current().write.replaceOthers(anotherProcess)
    expect(await kindOf(claim(call('b')))).toBe('running')
    await sweep(current())
    expect(await kindOf(claim(call('b')))).toBe('lost')
  })

  // Fails if every process with a row counts as living.
  test('a key of a dead process is free at once if its own call has nothing to sweep', async () => {
    await register(thisProcess.processId)
    await claim(call('a'))
    await commit(current(), { opened: [buildOpenStream('other')] })
    await current().write.replaceOthers(anotherProcess)
    expect(await kindOf(claim(call('b')))).toBe('claimed')
  })

  // On PostgreSQL, fails if the takeover has no condition on the call that held the key.
  test('the key of a dead process is taken over by one process', async () => {
    await register(anotherProcess.processId)
    await claim(call('dead'))
    const names = ['b', 'c', 'd', 'e']
    const kinds = await Promise.all(names.map(name => kindOf(claim(call(name), 0, anotherProcess.processId))))
    expect(kinds.toSorted()).toEqual(['claimed', 'running', 'running', 'running'])
  })

  test('a refunded order is no charge: its key is free again, answered or not', async () => {
    for (const name of ['ordered', 'answered']) {
      await claim(call(name))
      await charge(name, { cost: 100 })
      await charge(`${name}/refund`, { cost: -100, outcome: 'refunded' })
      if (name === 'answered') await end(call(name))
      expect(await claim({ ...call(name), callId: `${name}-again` })).toEqual({ kind: 'claimed' })
    }
  })

  test('another path or body is a conflict, another key or another name is another call', async () => {
    await claim(call('a'))
    expect(await claim(call('b', { bodyDigest: 'bb' }))).toEqual({ kind: 'conflict' })
    expect(await claim(call('b', { route: '/v1/embeddings' }))).toEqual({ kind: 'conflict' })
    expect(await claim(call('b', { keyHash: 'key-2' }))).toEqual({ kind: 'claimed' })
    expect(await claim(call('c', { idempotencyKey: 'other' }))).toEqual({ kind: 'claimed' })
  })

  const left = [
    { name: 'nothing', charge: null, next: 'claimed' },
    { name: 'a failure that cost nothing', charge: { outcome: 'failed', cost: 0 }, next: 'claimed' },
    { name: 'a failure that cost something', charge: { outcome: 'failed', cost: 5 }, next: 'lost' },
    { name: 'a stream cut by a crash', charge: { outcome: 'interrupted', cost: 5 }, next: 'lost' },
    { name: 'a free answer', charge: { outcome: 'completed', cost: 0 }, next: 'unanswered' },
    { name: 'an answer', charge: { outcome: 'completed', cost: 5 }, next: 'unanswered' },
  ] as const
  for (const { name, charge: charged, next } of left) {
    test(`a claim left without an answer and charged for ${name}: ${next}`, async () => {
      await claim(call('a'))
      if (charged !== null) await charge('a', charged)
      expect((await claim(call('b'))).kind).toBe(next)
    })
  }

  // Fails if the answer is `lost` whether or not the end of the call is on record.
  test('a call with an answer that was lost with its process passes its key to one that has refunded it', async () => {
    await claim(call('a'))
    await charge('a')
    expect(await claim(call('b'))).toEqual({ kind: 'unanswered', callId: 'a' })
    const claimed = { call: call('b'), processId: anotherProcess.processId, now: 0, expiresAt: day }
    const refunded = { ...claimed, refundedCallId: 'a' }
    expect(await current().write.claimIdempotentCall(refunded)).toEqual({ kind: 'claimed' })
    expect(await kindOf(claim(call('c')))).toBe('claimed')
  })

  test('a call with an answer that was not kept is lost: its client has received it', async () => {
    await claim(call('a'))
    await charge('a')
    await end(call('a'), null)
    expect(await kindOf(claim(call('b')))).toBe('lost')
  })

  test('a claim taken over belongs to the new call', async () => {
    await claim(call('a'))
    await claim(call('b'))
    await charge('a')
    await end(call('a'))
    expect(await claim(call('c'))).toEqual({ kind: 'claimed' })
    await charge('c')
    await end(call('c'))
    expect(await claim(call('d'))).toEqual({ kind: 'answered', callId: 'c' })
  })

  test('a call that was not charged frees its key, unless its charge may still come', async () => {
    await claim(call('a'))
    await end(call('a'), reply, false)
    expect(await claim(call('b', { bodyDigest: 'bb' }))).toEqual({ kind: 'conflict' })
    await end(call('a'))
    expect(await claim(call('b', { bodyDigest: 'bb' }))).toEqual({ kind: 'claimed' })
  })

  test('an answer that is not kept leaves its key taken', async () => {
    await claim(call('a'))
    await charge('a')
    await end(call('a'), null)
    expect(await claim(call('b'))).toEqual({ kind: 'lost' })
  })

  test('an expired key is free for any call, and is deleted in batches', async () => {
    await claim(call('a'), 0)
    expect(await claim(call('b', { bodyDigest: 'bb' }), day)).toEqual({ kind: 'claimed' })
    for (const name of ['one', 'two', 'three']) await claim(call(name, { idempotencyKey: name }), 0)
    const forget = async () => (await current().write.deleteExpiredCalls({ now: day, limit: 2 })).deleted
    expect([await forget(), await forget(), await forget()]).toEqual([2, 1, 0])
    expect(await claim(call('c', { bodyDigest: 'cc' }), day)).toEqual({ kind: 'conflict' })
  })

  test('answers are summed by team, and dropped from the oldest on', async () => {
    for (const [now, name] of ['one', 'two', 'three'].entries()) {
      const kept = call(name, { idempotencyKey: name })
      await claim(kept, now)
      await charge(name)
      await end(kept)
    }
    expect(await current().read.sumReplyBytes({ above: 767 })).toEqual([{ teamId: 'team-1', bytes: 768 }])
    expect(await current().read.sumReplyBytes({ above: 768 })).toEqual([])
    const drop = { teamId: 'team-1', bytes: 257, limit: 20 }
    expect(await current().write.dropOldestReplies(drop)).toEqual({ freed: 512 })
    expect(await claim(call('a', { idempotencyKey: 'two' }))).toEqual({ kind: 'lost' })
    expect(await claim(call('a', { idempotencyKey: 'three' }))).toEqual({
      kind: 'answered',
      callId: 'three',
    })
  })
}
