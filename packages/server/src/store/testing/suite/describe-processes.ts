// Engine tests: processes that share the database, their slots, and the calls that a dead one has left.
import { expect, test } from 'bun:test'
import {
  buildCharge,
  buildOpenStream,
  buildProgress,
  buildVideoTask,
  thisProcess,
} from '../build-ledger-rows.ts'
import { anotherProcess, atOnce, type Current, charge, commit, readTotals, sweep } from './store-actions.ts'

export function describeProcesses(current: Current): void {
  const register = (processId: string, leaseMs = 60_000) =>
    current().write.registerProcess({ processId, version: '1', leaseMs })
  const find = (withUnknown = true) =>
    current().read.findDeadProcesses({ processId: anotherProcess.processId, withUnknown })
  /** The lease of a process that ends at once. */
  const over = -1
  const sums = () => current().read.sumCharges({ teamId: 'team-1' })

  test('each process has a slot of its own, the smallest that is free', async () => {
    const names = Array.from({ length: atOnce }, (_, index) => `process-${index}`)
    const places = await Promise.all(names.map(name => register(name)))
    expect(places.map(place => place?.slot ?? -1).sort((a, b) => a - b)).toEqual(
      names.map((_, index) => index),
    )
    const third = places.find(place => place?.slot === 3)
    await current().write.endProcess({ processId: third?.processId ?? '' })
    expect(await register('next')).toEqual({ processId: 'next', slot: 3 })
  })

  test('there are 64 places', async () => {
    for (let count = 0; count < 64; count += 1) expect(await register(`process-${count}`)).not.toBeNull()
    expect(await register('one too many')).toBeNull()
    await current().write.endProcess({ processId: 'process-63' })
    expect(await register('next')).toEqual({ processId: 'next', slot: 63 })
  })

  // Fails without the condition on the lease (in `findDeadProcesses`, and in `declareDead`).
  test('the work of a living process is left alone, and that of a dead one is ended', async () => {
    const living = await register('living')
    const dead = await register('dead', over)
    if (living === null || dead === null) throw new Error('No place.')
    await commit(current(), {
      process: living,
      opened: [buildOpenStream('a')],
      progress: [buildProgress('a')],
    })
    await commit(current(), { process: dead, opened: [buildOpenStream('b')], progress: [buildProgress('b')] })
    expect(await find()).toEqual(['dead'])
    const input = { process: anotherProcess, deadProcessId: 'living', now: 9000, limit: 10 }
    expect(await current().write.sweepCalls(input)).toMatchObject({ charged: 0, isOver: true })
    expect(await sweep(current())).toEqual({ charged: 1, refunded: 0, released: 0 })
    expect(await find()).toEqual([])
    expect(await sums()).toEqual({ count: 1, costNano: 5 })
    expect(await current().read.readLeftStreams(anotherProcess)).toHaveLength(1)
    expect(await register('next')).toMatchObject({ slot: 1 })
  })

  // Fails if the row of the process is removed with its first piece.
  test('its slot is taken until everything is ended, in parts', async () => {
    const dead = await register('dead', over)
    if (dead === null) throw new Error('No place.')
    const names = Array.from({ length: 5 }, (_, index) => `call-${index}`)
    await commit(current(), { process: dead, opened: names.map(name => buildOpenStream(name)) })
    const input = { process: anotherProcess, deadProcessId: 'dead', now: 9000, limit: 2 }
    for (const isOver of [false, false, true]) {
      expect(await register(`beside-${isOver}-${Math.random()}`)).not.toMatchObject({ slot: 0 })
      expect(await current().write.sweepCalls(input)).toMatchObject({ isOver })
    }
    expect(await sums()).toEqual({ count: 5, costNano: 0 })
    expect(await register('next')).toMatchObject({ slot: 0 })
  })

  // Fails if charges are inserted without `on conflict do nothing`, and if all of them change totals.
  test('a charge after the sweep changes nothing, and neither does another sweep', async () => {
    await commit(current(), { opened: [buildOpenStream('a')], progress: [buildProgress('a')] })
    await sweep(current())
    await charge(current(), buildCharge('a', { kind: 'stream', cost: 70 }))
    await commit(current(), { progress: [buildProgress('a', { cost: 60 })], dropped: [buildOpenStream('a')] })
    expect(await sweep(current())).toEqual({ charged: 0, refunded: 0, released: 0 })
    expect(await sums()).toEqual({ count: 1, costNano: 5 })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 5, 5] })
  })

  test('a stream charged before the sweep is not charged by it', async () => {
    await commit(current(), { opened: [buildOpenStream('a')], progress: [buildProgress('a')] })
    await charge(current(), buildCharge('a', { kind: 'stream', cost: 70 }))
    expect(await sweep(current())).toEqual({ charged: 0, refunded: 0, released: 0 })
    expect(await sums()).toEqual({ count: 1, costNano: 70 })
  })

  test('two sweeps at once charge each stream once', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `call-${index}`)
    await commit(current(), {
      opened: names.map(name => buildOpenStream(name)),
      progress: names.map(name => buildProgress(name)),
    })
    const sweeps = await Promise.all([sweep(current(), 7), sweep(current(), 7), sweep(current(), 7)])
    const rest = await sweep(current())
    expect([...sweeps, rest].reduce((sum, { charged }) => sum + charged, 0)).toBe(30)
    expect(await sums()).toEqual({ count: 30, costNano: 150 })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 150, 150] })
  })

  // Fails if the row of the order stays (`openOrders`), and if it is ended with its charge.
  test('the process that finds another one dead ends its order, unless the order had started', async () => {
    const ordered = (name: string) => ({
      videoTasks: [buildVideoTask(name)],
      charges: [buildCharge(`call-${name}`, { kind: 'order', cost: 100 })],
    })
    await commit(current(), ordered('a'))
    await commit(current(), ordered('b'))
    const started = { teamId: 'team-1', taskId: 'b', operation: 'o', upstreamKey: 'k', dueAt: 1 }
    await current().write.markVideoTaskStarted({ ...started, process: thisProcess })
    expect(await sweep(current())).toEqual({ charged: 0, refunded: 1, released: 0 })
    const stateOf = async (taskId: string) =>
      (await current().read.readVideoTask({ teamId: 'team-1', taskId }))?.state
    expect([await stateOf('a'), await stateOf('b')]).toEqual(['failed', 'processing'])
    // The process was only asleep: the upstream has accepted the order meanwhile.
    const late = { ...started, taskId: 'a', process: thisProcess }
    expect(await current().write.markVideoTaskStarted(late)).toBe(false)
    // And its ambiguous commit is repeated.
    await commit(current(), ordered('a'))
    expect(await sweep(current())).toEqual({ charged: 0, refunded: 0, released: 0 })
    expect(await sums()).toEqual({ count: 3, costNano: 100 })
  })

  test('an order that was withdrawn leaves nothing to sweep', async () => {
    await commit(current(), {
      videoTasks: [buildVideoTask('a')],
      charges: [buildCharge('call-a', { kind: 'order', cost: 100 })],
    })
    const error = { code: 'not_taken', message: 'Not taken.' }
    const place = { teamId: 'team-1', taskId: 'a', error, now: 1, hidden: true }
    await current().write.failVideoTask({ ...place, process: thisProcess })
    expect(await find()).toEqual([])
    expect(await sums()).toEqual({ count: 2, costNano: 0 })
  })

  test('a process with exclusive use of the database may treat all others as dead', async () => {
    await register('living')
    await register(anotherProcess.processId)
    await current().write.replaceOthers(anotherProcess)
    expect(await find(false)).toEqual(['living'])
    await sweep(current())
    expect(await find()).toEqual([])
  })

  test('a process that ends frees its slot at once, or leaves it to be swept if work is left', async () => {
    await register('clean')
    const other = await register('other')
    if (other === null) throw new Error('No place.')
    await commit(current(), { process: other, opened: [buildOpenStream('a')] })
    await current().write.endProcess({ processId: 'clean' })
    await current().write.endProcess(other)
    expect(await find(false)).toEqual(['other'])
    expect(await sweep(current())).toMatchObject({ charged: 1 })
    expect(await register('next')).toMatchObject({ slot: 0 })
  })

  // Fails with `where slot = 0` in `readTotals`.
  test('the total of an owner is the sum of its rows in its latest period', async () => {
    await charge(current(), buildCharge('a'))
    await commit(current(), { process: anotherProcess, charges: [buildCharge('b', { cost: 3 })] })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [1000, 13, 13] })
    const later = buildCharge('c', { cost: 7, periods: { team: 5000, key: 5000 } })
    await commit(current(), { process: anotherProcess, charges: [later] })
    expect(await readTotals(current())).toMatchObject({ 'team:team-1': [5000, 7, 20] })
  })
}
