// The table of idempotent calls stays limited: by time, and for each team by size, oldest answers first.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readStatements, writeStatements } from './operations.ts'
import { buildCharge, emptyBatch } from './testing/build-ledger-rows.ts'
import { openTestDatabase } from './testing/open-test-database.ts'
import { tidyIdempotentCalls } from './tidy-idempotent-calls.ts'

let opened: Awaited<ReturnType<typeof openTestDatabase>>
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

const placeOf = (teamId: string, name: string) => ({
  teamId,
  keyHash: 'key-1',
  idempotencyKey: name,
  callId: `${teamId}-${name}`,
})

/** An answer of `bytes` to a call that was made at `now` and is kept for 1,000 ms. */
async function keepAnswer(teamId: string, name: string, now: number, bytes: number): Promise<void> {
  const { db } = opened
  const place = placeOf(teamId, name)
  const call = { ...place, route: '/v1/paid', bodyDigest: 'aa' }
  await writeStatements.claimIdempotentCall(db, {
    call,
    refundedCallId: null,
    processId: 'process-1',
    now,
    expiresAt: now + 1000,
  })
  const charges = [buildCharge(place.callId, { teamId: teamId })]
  await writeStatements.commitLedger(db, { ...emptyBatch, charges })
  const reply = { status: 200, headers: '{}', body: new Uint8Array(bytes) }
  await writeStatements.endIdempotentCall(db, { call: place, reply, mayForget: true })
}

/** One round at `now`, until it has ended. */
async function tidy(now: number, bytesPerTeam: number): Promise<number> {
  const { db } = opened
  let begin = (): void => undefined
  let writes = 0
  const ended = Promise.withResolvers<void>()
  const stop = tidyIdempotentCalls({
    store: {
      read: {
        sumReplyBytes: async input => {
          const sums = await readStatements.sumReplyBytes(db, input)
          if (sums.length === 0) ended.resolve()
          return sums
        },
      },
      write: {
        deleteExpiredCalls: input => {
          writes += 1
          return writeStatements.deleteExpiredCalls(db, input)
        },
        dropOldestReplies: async input => {
          writes += 1
          const dropped = await writeStatements.dropOldestReplies(db, input)
          if (dropped.freed >= input.bytes) ended.resolve()
          return dropped
        },
      },
    },
    every: (_, run) => {
      begin = run
      return () => undefined
    },
    clock: () => now,
    reportFailure: ended.reject,
    bytesPerTeam,
  })
  begin()
  await ended.promise
  stop()
  return writes
}

const isKept = async (teamId: string, name: string) =>
  (await readStatements.readIdempotentReply(opened.db, placeOf(teamId, name))) !== null

test('expired claims are deleted, in batches until none is left', async () => {
  for (let count = 0; count < 45; count += 1) await keepAnswer('red', `old-${count}`, 0, 1)
  await keepAnswer('red', 'new', 500, 1)
  expect(await tidy(1000, 1000)).toBe(3)
  expect([await isKept('red', 'old-0'), await isKept('red', 'new')]).toEqual([false, true])
})

test('a team with too many answers loses its oldest, and their keys stay known; other teams lose none', async () => {
  for (let count = 0; count < 30; count += 1) await keepAnswer('red', String(count), count, 100)
  await keepAnswer('blue', 'oldest', 0, 100)
  await tidy(500, 550)
  const kept = await Promise.all(Array.from({ length: 30 }, (_, count) => isKept('red', String(count))))
  expect(kept.indexOf(true)).toBe(25)
  expect(kept.filter(Boolean)).toHaveLength(5)
  expect(await isKept('blue', 'oldest')).toBe(true)
  const call = { ...placeOf('red', '0'), callId: 'again', route: '/v1/paid', bodyDigest: 'aa' }
  const claim = writeStatements.claimIdempotentCall(opened.db, {
    call,
    refundedCallId: null,
    processId: 'process-2',
    now: 500,
    expiresAt: 1500,
  })
  expect(await claim).toEqual({ kind: 'lost' })
})
