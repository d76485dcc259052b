// Engine tests: videos in progress. Each step once, money back once, only one team.
import { expect, test } from 'bun:test'
import type { VideoTask } from '../../../ledger/video-task.ts'
import type { Store } from '../../store.ts'
import { buildCharge, buildVideoTask, emptyBatch, thisProcess, toRelayed } from '../build-ledger-rows.ts'
import { type Current, sweep } from './store-actions.ts'

const ref = (taskId: string, teamId = 'team-1') => ({ teamId, taskId })

/** Orders a video: its task together with its charge, in one commit. */
async function order(
  store: Store,
  taskId: string,
  changes: Parameters<typeof buildVideoTask>[1] = {},
): Promise<void> {
  await place(store, buildVideoTask(taskId, changes))
}

async function place(store: Store, task: VideoTask): Promise<void> {
  const charge = buildCharge(task.callId, { cost: task.cost, teamId: task.teamId, kind: 'order' })
  await store.write.commitLedger({ ...emptyBatch, charges: [charge], videoTasks: [task] })
}

const start = (store: Store, taskId: string, dueAt = 3000) =>
  store.write.markVideoTaskStarted({
    process: thisProcess,
    ...ref(taskId),
    operation: `operations/${taskId}`,
    upstreamKey: 'up',
    dueAt,
  })

const fail = (store: Store, taskId: string) =>
  store.write.failVideoTask({
    process: thisProcess,
    ...ref(taskId),
    error: { code: 'any', message: 'Any.' },
    now: 4000,
    hidden: false,
  })

const complete = (store: Store, taskId: string, teamId = 'team-1') =>
  store.write.completeVideoTask({
    ...ref(taskId, teamId),
    files: [`file-${taskId}`],
    completedAt: 5000,
    expiresAt: 6000,
    dueAt: 5000,
  })

const spent = async (store: Store) => (await store.read.readTotals()).map(total => total.spent)

export function describeVideoTasks(current: Current): void {
  test('an order is a task and its charge; written twice it is one of each', async () => {
    await order(current(), 'a')
    await order(current(), 'a')
    expect(await current().read.readVideoTask(ref('a'))).toEqual(buildVideoTask('a'))
    expect(await spent(current())).toEqual([100, 100, 100, 100])
  })

  test('a task is started once', async () => {
    await order(current(), 'a')
    expect(await start(current(), 'a')).toBe(true)
    expect(await start(current(), 'a')).toBe(false)
    expect(await current().read.readVideoTask(ref('a'))).toMatchObject({
      state: 'processing',
      operation: 'operations/a',
      upstreamKey: 'up',
      dueAt: 3000,
    })
  })

  // Fails without the condition on the state together with `/refund` as the refund's id.
  test('a failed task is refunded once, however often it fails', async () => {
    await order(current(), 'a')
    await start(current(), 'a')
    const outcomes = await Promise.all([fail(current(), 'a'), fail(current(), 'a'), fail(current(), 'a')])
    expect(outcomes.map(outcome => outcome.failed)).toEqual([true, true, true])
    expect(outcomes.filter(outcome => outcome.refunded)).toHaveLength(1)
    expect(await spent(current())).toEqual([0, 0, 0, 0])
    expect(await current().read.sumCharges({ teamId: 'team-1' })).toEqual({ count: 2, costNano: 0 })
    expect(await current().read.readVideoTask(ref('a'))).toMatchObject({
      state: 'failed',
      error: { code: 'any', message: 'Any.' },
      completedAt: 4000,
      dueAt: null,
    })
  })

  test('a completed task can no longer fail, nor a failed one be completed', async () => {
    await order(current(), 'a')
    await start(current(), 'a')
    expect(await complete(current(), 'a')).toBe(true)
    expect(await fail(current(), 'a')).toEqual({ failed: false, refunded: false })
    await order(current(), 'b')
    await start(current(), 'b')
    await fail(current(), 'b')
    expect(await complete(current(), 'b')).toBe(false)
    expect(await spent(current())).toEqual([100, 100, 100, 100])
  })

  test('a refund after the period has rolled over moves only the lifetime total', async () => {
    await order(current(), 'a')
    await current().write.commitLedger({
      ...emptyBatch,
      charges: [buildCharge('later', { periods: { team: 5000, key: 5000 }, cost: 7 })],
    })
    await fail(current(), 'a')
    const totals = await current().read.readTotals()
    expect(totals.map(total => [total.spent, total.lifetime])).toEqual([
      [7, 7],
      [7, 7],
      [7, 7],
      [7, 7],
    ])
  })

  test('after a crash unfinished orders are failed and refunded, and running tasks stay', async () => {
    await order(current(), 'a')
    await order(current(), 'b')
    await start(current(), 'b')
    expect(await sweep(current())).toEqual({ charged: 0, refunded: 1, released: 0 })
    expect(await sweep(current())).toEqual({ charged: 0, refunded: 0, released: 0 })
    const interrupted = await current().read.readVideoTask(ref('a'))
    expect(interrupted).toMatchObject({ state: 'failed', error: { code: 'creation_interrupted' } })
    expect(await current().read.readVideoTask(ref('b'))).toMatchObject({ state: 'processing' })
    expect(await spent(current())).toEqual([100, 100, 100, 100])
  })

  test('a due task is taken by one process, until its lease is over or it is released', async () => {
    for (const name of ['a', 'b', 'c']) await order(current(), name)
    await start(current(), 'a', 3000)
    await start(current(), 'b', 3001)
    const lease = (now: number) =>
      current().write.leaseVideoTasks({ now, until: now + 100, lost: [], limit: 10 })
    const names = (tasks: readonly VideoTask[]) => tasks.map(task => task.taskId)
    expect(await current().read.readNextDue()).toBe(3000)
    const both = await Promise.all([lease(3000), lease(3000)])
    expect(names(both.flat())).toEqual(['a'])
    expect(names(await lease(3001))).toEqual(['b'])
    expect(await current().read.readNextDue()).toBe(3100)
    expect(names(await lease(3100))).toEqual(['a'])
    await current().write.postponeVideoTask({ ...ref('a'), dueAt: 3150 })
    expect(names(await lease(3149))).toEqual(['b'])
    expect(names(await lease(3150))).toEqual(['a'])
    await current().write.postponeVideoTask({ ...ref('a'), dueAt: null })
    await current().write.postponeVideoTask({ ...ref('b'), dueAt: null })
    expect(await lease(9999)).toEqual([])
    expect(await current().read.readNextDue()).toBeNull()
  })

  // Fails without `leased_until in (…)`: nothing was taken until 3100.
  test('a lost lease is taken again before its end, and a lease of another process is not', async () => {
    for (const name of ['a', 'b']) await order(current(), name)
    await start(current(), 'a', 3000)
    await start(current(), 'b', 3001)
    const lease = async (now: number, lost: readonly number[]) =>
      (await current().write.leaseVideoTasks({ now, until: now + 100, lost, limit: 10 })).map(
        task => task.taskId,
      )
    expect([await lease(3000, []), await lease(3001, [])]).toEqual([['a'], ['b']])
    expect(await lease(3002, [3100])).toEqual(['a'])
    expect(await lease(3003, [3100])).toEqual([])
    expect(await lease(3004, [3101, 3102])).toEqual(['a', 'b'])
  })

  test('files, operations and tasks are found only by their own team', async () => {
    await place(current(), toRelayed(buildVideoTask('a')))
    await start(current(), 'a')
    await complete(current(), 'a')
    const { read } = current()
    expect(await read.readUpstreamFile({ teamId: 'team-1', fileId: 'file-a' })).toEqual({
      upstreamKey: 'up',
    })
    expect(await read.readUpstreamFile({ teamId: 'team-2', fileId: 'file-a' })).toBeNull()
    const operation = 'operations/a'
    expect(await read.readUpstreamOperation({ teamId: 'team-1', operation })).toMatchObject({ taskId: 'a' })
    expect(await read.readUpstreamOperation({ teamId: 'team-2', operation })).toBeNull()
    await place(current(), toRelayed(buildVideoTask('o_1', { operation: 'models/m/operations/o_1' })))
    const find = async (name: string) =>
      (await read.readUpstreamOperation({ teamId: 'team-1', operation: name }))?.taskId ?? null
    expect(await find('operations/o_1')).toBe('o_1')
    expect(await find('models/m/operations/o_1')).toBe('o_1')
    expect(await find('operations/oX1')).toBeNull()
    expect(await find('operations/%')).toBeNull()
    expect(await read.readVideoTask(ref('a', 'team-2'))).toBeNull()
    expect(await complete(current(), 'a', 'team-2')).toBe(false)
  })

  test('only an ended task can be hidden, once, and its copy is then not recorded', async () => {
    await order(current(), 'a')
    await start(current(), 'a')
    expect(await current().write.hideVideoTask(ref('a'))).toBeNull()
    await complete(current(), 'a')
    expect(await current().write.hideVideoTask(ref('a', 'team-2'))).toBeNull()
    expect(await current().write.hideVideoTask(ref('a'))).toMatchObject({ taskId: 'a', state: 'completed' })
    expect(await current().write.hideVideoTask(ref('a'))).toBeNull()
    expect(await current().read.readVideoTask(ref('a'))).toBeNull()
    const copy = { ...ref('a'), storedBytes: 10, dueAt: null }
    expect(await current().write.recordVideoCopy(copy)).toBe(false)
  })

  test('a list is sorted by time and id, in both directions, from any position', async () => {
    await order(current(), 'a', { createdAt: 1 })
    await order(current(), 'c', { createdAt: 2 })
    await order(current(), 'b', { createdAt: 2 })
    await order(current(), 'x', { createdAt: 3, state: 'completed' })
    await current().write.hideVideoTask(ref('x'))
    await place(current(), toRelayed(buildVideoTask('y', { createdAt: 3 })))
    await order(current(), 'z', { createdAt: 3, teamId: 'team-2' })
    const list = async (order: 'asc' | 'desc', limit = 10, after: [number, string] | null = null) => {
      const place = after === null ? null : { createdAt: after[0], taskId: after[1] }
      const rows = await current().read.listVideoTasks({ teamId: 'team-1', order, limit, after: place })
      return rows.map(row => row.taskId)
    }
    expect(await list('desc')).toEqual(['c', 'b', 'a'])
    expect(await list('asc')).toEqual(['a', 'b', 'c'])
    expect(await list('desc', 1)).toEqual(['c'])
    expect(await list('desc', 10, [2, 'c'])).toEqual(['b', 'a'])
    expect(await list('asc', 10, [2, 'b'])).toEqual(['c'])
  })
}
