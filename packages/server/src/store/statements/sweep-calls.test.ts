// Sweeps of rows as they are in the tables: the figures of an interrupted stream, and an interrupted order.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  buildCharge,
  buildOpenStream,
  buildProgress,
  buildVideoTask,
  emptyBatch,
  thisProcess,
} from '../testing/build-ledger-rows.ts'
import { openTestDatabase } from '../testing/open-test-database.ts'
import { commitLedger } from './ledger-batch.ts'
import { findDeadProcesses } from './processes.ts'
import { replaceOthers, sweepCalls } from './sweep-calls.ts'

let opened: Awaited<ReturnType<typeof openTestDatabase>>
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

const process = { processId: 'another', slot: 1 }
const sweep = (deadProcessId: string) =>
  sweepCalls(opened.db, { process, deadProcessId, now: 9000, limit: 10 })

// After a crash, a stream with more usage reported than held is charged the hold, with the reason for the operator. Fails if it is
// charged without the flag next to the progress.
test('the flag of the last progress, and the reported usage, go into the charge', async () => {
  const { db } = opened
  const told = { flag: 'usage_above_hold' as const, reported: '{"cost_nano":"750000000000"}' }
  await commitLedger(db, { ...emptyBatch, opened: [buildOpenStream('a'), buildOpenStream('b')] })
  await commitLedger(db, { ...emptyBatch, progress: [buildProgress('a', told), buildProgress('b')] })
  await sweep(thisProcess.processId)
  const charges = await db.selectFrom('charges').selectAll().orderBy('call_id').execute()
  expect(charges).toMatchObject([
    { call_id: 'a', outcome: 'interrupted', cost_nano: 5, ...told },
    { call_id: 'b', outcome: 'interrupted', cost_nano: 5, flag: null, reported: null },
  ])
})

test('calls left by another process are ended once, and no process polls its videos', async () => {
  const { db } = opened
  const charges = [buildCharge('call-video', { kind: 'order', cost: 100 })]
  await commitLedger(db, { ...emptyBatch, charges, videoTasks: [buildVideoTask('video')] })
  await db.updateTable('video_tasks').set({ leased_until: 5000 }).execute()

  const found: string[] = []
  for (let start = 0; start < 2; start += 1) {
    await replaceOthers(db, process)
    for (const dead of await findDeadProcesses(db, { ...process, withUnknown: true })) {
      found.push(dead)
      await sweep(dead)
    }
  }
  expect(found).toEqual([thisProcess.processId])
  const rows = await db.selectFrom('charges').selectAll().orderBy('call_id').execute()
  expect(rows.map(({ call_id, outcome, cost_nano }) => [call_id, outcome, cost_nano])).toEqual([
    ['call-video', 'completed', 100],
    ['call-video/refund', 'refunded', -100],
  ])
  expect(await db.selectFrom('running_calls').selectAll().execute()).toEqual([])
  expect(await db.selectFrom('video_tasks').select(['state', 'leased_until']).execute()).toEqual([
    { state: 'failed', leased_until: 0 },
  ])
})

test('a running call that is neither stream nor order is released', async () => {
  const { db } = opened
  await commitLedger(db, { ...emptyBatch, opened: [buildOpenStream('a'), buildOpenStream('b')] })
  await db
    .updateTable('running_calls')
    .set({ kind: 'call', endpoint: null })
    .where('call_id', '=', 'a')
    .execute()
  await db.updateTable('running_calls').set({ kind: 'order' }).where('call_id', '=', 'b').execute()
  const swept = await sweep(thisProcess.processId)
  expect(swept).toEqual({ charged: 0, refunded: 0, released: 2, isOver: true })
  expect(await db.selectFrom('charges').selectAll().execute()).toEqual([])
  expect(await db.selectFrom('running_calls').selectAll().execute()).toEqual([])
})
