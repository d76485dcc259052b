// The board: checks that hang or throw become findings, and checks cannot pile up.
import { expect, test } from 'bun:test'
import { type Check, type Finding, ok } from './finding.ts'
import { ReadinessBoard } from './readiness-board.ts'

const never = () => new Promise<never>(() => undefined)
const openBoard = (clock: Check, wait: () => Promise<unknown> = never) =>
  new ReadinessBoard({ checks: new Map([['clock', clock]]), clock: () => 0, wait })

test('a check that throws, or has no result in time, is a fault', async () => {
  const broken = openBoard(() => Promise.reject(new Error('no such file')))
  expect(await broken.check('clock', false)).toMatchObject({
    state: 'fault',
    text: 'the check failed: no such file',
  })
  const slow = openBoard(never, async () => undefined)
  expect(await slow.check('clock', false)).toMatchObject({
    state: 'fault',
    text: 'the check had no result after 15 s',
  })
})

test('requests during a check share its result', async () => {
  let runs = 0
  const gate = Promise.withResolvers<Finding[]>()
  const board = openBoard(() => {
    runs += 1
    return gate.promise
  })
  const asked = [board.check('clock', false), board.check('clock', false), board.read()]
  gate.resolve([ok('fine')])
  await Promise.all(asked)
  expect(runs).toBe(1)
  await board.check('clock', false)
  expect(runs).toBe(2)
})
