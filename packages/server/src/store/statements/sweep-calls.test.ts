// What a crash charges a stream whose upstream had reported more than was held: the hold, and for the operator why.
// Shown to fail by charging without the flag that stands beside the progress.
import { expect, test } from 'bun:test'
import { buildOpenStream, buildProgress, emptyBatch, thisProcess } from '../testing/build-ledger-rows.ts'
import { openTestDatabase } from '../testing/open-test-database.ts'
import { commitLedger } from './ledger-batch.ts'
import { sweepCalls } from './sweep-calls.ts'

test('the flag of the last progress, and what was reported, go into the charge', async () => {
  const { db, close } = await openTestDatabase()
  const told = { flag: 'usage_above_hold' as const, reported: '{"cost_nano":"750000000000"}' }
  await commitLedger(db, { ...emptyBatch, opened: [buildOpenStream('a'), buildOpenStream('b')] })
  await commitLedger(db, { ...emptyBatch, progress: [buildProgress('a', told), buildProgress('b')] })
  const process = { processId: 'another', slot: 1 }
  await sweepCalls(db, { process, deadProcessId: thisProcess.processId, now: 9000, limit: 10 })
  const charges = await db.selectFrom('charges').selectAll().orderBy('call_id').execute()
  expect(charges).toMatchObject([
    { call_id: 'a', outcome: 'interrupted', cost_nano: 5, ...told },
    { call_id: 'b', outcome: 'interrupted', cost_nano: 5, flag: null, reported: null },
  ])
  await close()
})
