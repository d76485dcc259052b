// Tests from when on the directory counts as current, with a clock that the test moves and a database that answers on command.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { DirectoryFollower } from './follow-directory.ts'

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

let now: number
let version: number
/** Checks that have not been answered yet. */
let asked: (() => void)[]
let follower: DirectoryFollower
beforeEach(async () => {
  now = 0
  version = 5
  asked = []
  follower = new DirectoryFollower(
    {
      processId: () => 'me',
      listen: () => async () => undefined,
      every: () => () => undefined,
      wait: () => new Promise(() => undefined),
      monotonicMs: () => now,
      reportCurrent: () => undefined,
      reportBehind: () => undefined,
    },
    {
      version: () => version,
      refresh: () => new Promise(resolve => asked.push(resolve)),
    },
    { read: { readAppliedVersions: async () => [] }, write: { noteDirectoryVersion: async () => undefined } },
    0,
  )
})
afterEach(() => follower.stop())

/** Answers the waiting check. */
async function answer(): Promise<void> {
  asked.shift()?.()
  await nextTurn()
}

test('a check counts from its start, not from its answer', async () => {
  now = 900
  await answer()
  expect(follower.isCurrent()).toBe(true)
  now = 1001
  expect(follower.isCurrent()).toBe(false)
})

test('a version seen by another query counts from when that query was sent', () => {
  follower.noteSeen(5, 800)
  now = 1800
  expect(follower.isCurrent()).toBe(true)
  follower.noteSeen(5, 300)
  expect(follower.isCurrent()).toBe(true)
  now = 1801
  expect(follower.isCurrent()).toBe(false)
})

test('a version seen by another query does not count until it applies here, and is checked for', async () => {
  await answer()
  follower.noteSeen(6, 800)
  expect(asked).toHaveLength(1)
  now = 1001
  expect(follower.isCurrent()).toBe(false)
  version = 6
  follower.noteSeen(6, 900)
  expect(follower.isCurrent()).toBe(true)
})
