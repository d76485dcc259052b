// suite: test on postgres
// The end of calls with shared limits: totals by period, orders, sweeps, and nothing twice.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { openPostgresStore } from '../postgres/open-postgres-store.ts'
import type { Store } from '../store.ts'
import { buildAuditEntry } from '../testing/build-directory-rows.ts'
import {
  buildAdjustment,
  buildCallFacts,
  buildCharge,
  buildOpenStream,
  buildProgress,
  buildVideoTask,
  emptyBatch,
} from '../testing/build-ledger-rows.ts'
import { createTestPostgres, findTestPostgres, type TestDatabase } from '../testing/create-test-postgres.ts'

const server = findTestPostgres()
const process = { processId: 'p', slot: 3 }
const empty = { ...emptyBatch, process }

describe.skipIf(server === null)('calls that end under shared limits (PostgreSQL)', () => {
  let database: TestDatabase
  let store: Store
  let client: Client
  beforeAll(async () => {
    database = await createTestPostgres(server ?? '')
    store = await openPostgresStore({ connectionString: database.url })
    client = new Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await store.close()
    await database.drop()
  })
  beforeEach(async () => {
    await client.query('truncate charges, calls, totals, running_calls, video_tasks, processes')
  })

  /** A row as `admit_2` leaves it. */
  const run = (callId: string, amount: number, period = 1000) =>
    client.query(
      `insert into running_calls (team_id, call_id, process_id, kind, key_hash, model_id, admitted_at, team_period, key_period,
        amount_nano, event_nano, reserved_tokens) values ('team-1', $1, 'p', 'call', 'key-1', 'model-1', 2000, $3, $3, $2, 0, 0)`,
      [callId, amount, period],
    )
  const readTotal = async (owner: string) => {
    const { rows } = await client.query({
      text: `select period_start::int, spent_nano::int, lifetime_nano::int, returned_nano::int, returned_slots::int from totals
        where owner = $1 and slot = 3`,
      values: [owner],
      rowMode: 'array',
    })
    return rows[0] ?? null
  }
  const readRunning = async () =>
    (await client.query('select call_id, kind from running_calls order by call_id')).rows.map(
      ({ call_id, kind }) => `${call_id} ${kind}`,
    )

  // Fails if a field is quoted for one level only: it is part of a value within an array.
  test('texts come back as they were, whatever they hold', async () => {
    const odd = 'a "b" \\c, {d} (e)\n\'f\' é NULL'
    const program = { ...buildCallFacts().client, tool: '', userAgent: odd, sessionId: '\\"' }
    const charge = buildCharge('odd', {
      reported: odd,
      facts: buildCallFacts({ client: program, modelAsked: 'NULL' }),
    })
    await store.write.commitLedger({ ...empty, charges: [charge, buildCharge('bare')] })
    const read = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows
    expect(await read('select call_id, reported, flag from charges order by call_id')).toEqual([
      ['bare', null, null],
      ['odd', odd, null],
    ])
    expect(
      await read(
        'select call_id, tool, user_agent, session_id, model_asked, code, length(commit_hash) from calls',
      ),
    ).toEqual([['odd', '', odd, '\\"', 'NULL', null, 32]])
  })

  // Fails if all charges of a batch count in its latest period.
  test('a batch across the end of a period: the older charges count only in the lifetime', async () => {
    await run('a', 30, 1000)
    await run('b', 40, 5000)
    const late = buildCharge('a', { cost: 7, periods: { team: 1000, key: 1000 } })
    const fresh = buildCharge('b', { cost: 9, periods: { team: 5000, key: 5000 } })
    for (let times = 0; times < 2; times += 1)
      await store.write.commitLedger({ ...empty, charges: [late, fresh] })
    for (const owner of ['team:team-1', 'key_model:key-1:model-1'])
      expect(await readTotal(owner)).toEqual([5000, 9, 16, 40, expect.any(Number)])
    expect(await readTotal('key:key-1')).toEqual([5000, 9, 16, 40, 2])
    await run('c', 50, 1000)
    await store.write.commitLedger({ ...empty, charges: [buildCharge('c', { cost: 1 })] })
    expect(await readTotal('key:key-1')).toEqual([5000, 9, 17, 40, 3])
    expect(await readRunning()).toEqual([])
  })

  test('a stream is opened, updated and dropped in its row; one that was swept stays gone', async () => {
    await run('s', 30)
    const opened = [buildOpenStream('s'), buildOpenStream('swept')]
    await store.write.commitLedger({ ...empty, opened, progress: [buildProgress('s')] })
    expect(await readRunning()).toEqual(['s stream'])
    expect((await client.query('select units, cost_nano::int from running_calls')).rows).toEqual([
      { units: '{"outputText":5}', cost_nano: 5 },
    ])
    await store.write.commitLedger({
      ...empty,
      dropped: [
        { teamId: 'team-1', callId: 's' },
        { teamId: 'team-1', callId: 'swept' },
      ],
    })
    expect(await readTotal('key:key-1')).toEqual([1000, 0, 0, 30, 1])
  })

  test('an order returns its money with its charge, and its slot when it has been accepted or has failed', async () => {
    for (const task of ['started', 'failed']) {
      const videoTask = buildVideoTask(task)
      await run(videoTask.callId, 100)
      const charge = buildCharge(videoTask.callId, { cost: 100, kind: 'order' })
      for (let times = 0; times < 2; times += 1)
        await store.write.commitLedger({ ...empty, charges: [charge], videoTasks: [videoTask] })
    }
    expect(await readRunning()).toEqual(['call-failed order', 'call-started order'])
    expect(await readTotal('key:key-1')).toEqual([1000, 200, 200, 200, 0])
    await store.write.markVideoTaskStarted({
      teamId: 'team-1',
      taskId: 'started',
      operation: 'o',
      upstreamKey: 'k',
      dueAt: 1,
      process,
    })
    const error = { code: 'x', message: 'x' }
    for (let times = 0; times < 2; times += 1)
      await store.write.failVideoTask({
        teamId: 'team-1',
        taskId: 'failed',
        error,
        now: 3000,
        hidden: false,
        process,
      })
    expect(await readTotal('key:key-1')).toEqual([1000, 100, 100, 200, 2])
    expect(await readRunning()).toEqual([])
  })

  // Fails if returns of the previous period continue to count.
  test('a correction that begins a period leaves nothing of the previous one', async () => {
    await run('a', 30)
    await store.write.commitLedger({ ...empty, charges: [buildCharge('a', { cost: 7 })] })
    expect(await readTotal('key:key-1')).toEqual([1000, 7, 7, 30, 1])
    const adjustment = buildAdjustment('one', { key_hash: 'key-1', key_period: 5000, amount_nano: 2 })
    const audit = buildAuditEntry('spend.adjust')
    await store.write.writeAdjustment({ adjustment, audit, slot: 3, seenLeft: null })
    expect(await readTotal('key:key-1')).toEqual([5000, 2, 9, 0, 1])
    expect(await readTotal('team:team-1')).toEqual([1000, 9, 9, 30, 0])
  })

  // Fails if a sweep deletes rows without `settle_2`.
  test('a sweep returns what a dead process held; its late charge returns nothing more', async () => {
    await run('plain', 30)
    await run('stream', 40)
    await store.write.commitLedger({
      ...empty,
      opened: [buildOpenStream('stream')],
      progress: [buildProgress('stream')],
    })
    await store.write.sweepCalls({ process, deadProcessId: 'p', now: 9000, limit: 10 })
    expect(await readTotal('key:key-1')).toEqual([1000, 5, 5, 70, 2])
    const charges = [buildCharge('stream', { cost: 33, kind: 'stream' }), buildCharge('plain', { cost: 8 })]
    await store.write.commitLedger({ ...empty, charges })
    expect(await readTotal('key:key-1')).toEqual([1000, 13, 13, 70, 2])
  })
})
