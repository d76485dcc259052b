// Large bodies are worked on one at a time, and an owner waits after a body that took long.
import { expect, test } from 'bun:test'
import { createWorkTurns } from './work-turns.ts'

/** A thread with a clock that moves only with its work and its timers. */
function openThread(othersAt = 0) {
  let now = 0
  const yields: (() => void)[] = []
  const timers: { at: number; run: () => void }[] = []
  const turns = createWorkTurns({
    stopwatch: () => now,
    readWork: () => now,
    startTimer: (milliseconds, run) => {
      const timer = { at: now + milliseconds, run }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
    yieldThread: run => yields.push(run),
    othersAt: () => othersAt,
  })
  const given: string[] = []
  /** One body of the owner, with work that takes this long. */
  const ask = (owner: string, milliseconds: number, bytes = 0) => {
    void turns.take(owner, bytes).then(() => {
      given.push(`${owner} at ${now}`)
      now += milliseconds
    })
  }
  /** Runs everything that is due, and then the next timer. */
  const settle = async () => {
    for (;;) {
      await new Promise(resolve => setImmediate(resolve))
      const [timer] = timers.toSorted((left, right) => left.at - right.at)
      const run = yields.shift()
      if (run !== undefined) run()
      else if (timer === undefined) return given
      else {
        now = Math.max(now, timer.at)
        timers.splice(timers.indexOf(timer), 1)
        timer.run()
      }
    }
  }
  return { ask, settle }
}

// Fails if a turn is given while another lasts.
test('a body is worked on when the one before it is done', async () => {
  const { ask, settle } = openThread()
  ask('a', 1)
  ask('b', 1)
  expect(await settle()).toEqual(['a at 0', 'b at 1'])
})

// Fails if turns are given in the order in which they were requested.
test('an owner waits in proportion to its work, and others do not', async () => {
  const { ask, settle } = openThread()
  for (let body = 0; body < 3; body += 1) ask('greedy', 5)
  ask('other', 1)
  expect(await settle()).toEqual(['greedy at 0', 'other at 5', 'greedy at 130', 'greedy at 260'])
})

// Fails if a body that is refused at its first bytes costs nothing.
test('receiving a body counts', async () => {
  const { ask, settle } = openThread()
  ask('files', 1, 8e6)
  ask('files', 1, 8e6)
  expect(await settle()).toEqual(['files at 0', 'files at 730'])
})

test('the wait is bounded', async () => {
  const { ask, settle } = openThread()
  ask('files', 60)
  ask('files', 60)
  expect(await settle()).toEqual(['files at 0', 'files at 4060'])
})

// Fails if an owner waits although no one else has called for a minute.
test('an owner that has been alone for a minute does not wait', async () => {
  const { ask, settle } = openThread(-60_001)
  for (let body = 0; body < 3; body += 1) ask('alone', 9)
  expect(await settle()).toEqual(['alone at 0', 'alone at 9', 'alone at 18'])
})
