// Calls of one key that wait for each other's slots: their order, when they are still refused, and that nothing is left behind.
import { expect, test } from 'bun:test'
import type { EarlyRefusal } from '../limits/port.ts'
import { maxWaiting, WaitingLine } from './gate.ts'

const refusal: EarlyRefusal['refusal'] = {
  code: 'parallel_exceeded',
  level: 'key',
  limit: 0,
  used: 0,
  held: 0,
  resetAt: null,
  retryAfterSeconds: 1,
}

/** A key with so many slots. */
function open(slots: number, code: EarlyRefusal['refusal']['code'] = 'parallel_exceeded') {
  const line = new WaitingLine()
  const ended: string[] = []
  let free = slots
  const enter = (id: string) => {
    const entering = line.enter('key', id, () => {
      if (free === 0) return { refusal: { ...refusal, code }, rates: {} as EarlyRefusal['rates'] }
      free -= 1
      return null
    })
    void entering.then(refused => ended.push(refused === null ? id : `${id} refused`))
    return entering
  }
  const leave = (id: string) => {
    free += 1
    line.leave(id)
  }
  return { line, ended, enter, leave }
}

/** Everything decided by now has been reported. */
const settle = () => new Promise<void>(resolve => setImmediate(resolve))

test('calls wait for a slot in the order of their arrival', async () => {
  const { line, ended, enter, leave } = open(1)
  for (const id of ['a', 'b', 'c']) void enter(id)
  await settle()
  expect(ended).toEqual(['a'])
  leave('a')
  await settle()
  expect(ended).toEqual(['a', 'b'])
  leave('b')
  await settle()
  leave('c')
  expect(ended).toEqual(['a', 'b', 'c'])
  expect(line.keys()).toBe(0)
})

test('a call is refused if calls of other routes have all slots', async () => {
  const { line, enter } = open(0)
  expect((await enter('a'))?.refusal.code).toBe('parallel_exceeded')
  expect(line.keys()).toBe(0)
})

test('all waiting calls are refused if others have taken the slots meanwhile', async () => {
  const { line, ended, enter } = open(1)
  for (const id of ['a', 'b', 'c']) void enter(id)
  await settle()
  line.leave('a')
  await settle()
  expect(ended).toEqual(['a', 'b refused', 'c refused'])
  expect(line.keys()).toBe(0)
})

test('a call waits again at the head of the line if another took its slot', async () => {
  const { line, ended, enter, leave } = open(2)
  for (const id of ['a', 'b', 'c', 'd']) void enter(id)
  await settle()
  line.leave('a')
  await settle()
  expect(ended).toEqual(['a', 'b'])
  leave('b')
  await settle()
  expect(ended).toEqual(['a', 'b', 'c'])
})

test('a refusal for another reason comes at once', async () => {
  const { enter, ended } = open(1, 'rpm_exceeded')
  void enter('a')
  await enter('b')
  expect(ended).toEqual(['a', 'b refused'])
})

test('the line is bounded', async () => {
  const { line, ended, enter, leave } = open(1)
  for (let index = 0; index <= maxWaiting; index += 1) void enter(`call ${index}`)
  await settle()
  expect(ended).toEqual(['call 0'])
  expect((await enter('one more'))?.refusal.code).toBe('parallel_exceeded')
  for (let index = 0; index <= maxWaiting; index += 1) {
    leave(`call ${index}`)
    await settle()
  }
  expect(ended).toHaveLength(maxWaiting + 2)
  expect(line.keys()).toBe(0)
})

test('a slot request that fails leaves nothing behind', async () => {
  const line = new WaitingLine()
  const failing = line.enter('key', 'a', () => {
    throw new Error('broken')
  })
  expect(await failing.catch(String)).toBe('Error: broken')
  expect(line.keys()).toBe(0)
})
