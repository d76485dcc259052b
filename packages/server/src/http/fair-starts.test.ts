// A team that sends many requests at once leaves the thread to those of other teams.
import { expect, test } from 'bun:test'
import { createFairStarts } from './fair-starts.ts'

function openThread() {
  const yields: (() => void)[] = []
  const { start } = createFairStarts(run => yields.push(run))
  const started: string[] = []
  const ask = (team: string, now: number) => {
    const starting = start(team, now)
    if (starting === null) started.push(team)
    else void starting.then(() => started.push(team))
  }
  /** Others have the thread. */
  const yieldOnce = async () => {
    for (const run of yields.splice(0)) run()
    await Promise.resolve()
  }
  return { ask, started, yieldOnce, isYielding: () => yields.length > 0 }
}

// Fails if every request starts at once.
test('two of many concurrent bodies start in each turn, and one of another team starts with them', async () => {
  const { ask, started, yieldOnce, isYielding } = openThread()
  ask('other', 0)
  for (let count = 0; count < 5; count += 1) ask('greedy', 1)
  expect(started).toEqual(['other', 'greedy', 'greedy'])
  ask('other', 2)
  await yieldOnce()
  expect(started.slice(3)).toEqual(['other', 'greedy', 'greedy'])
  await yieldOnce()
  expect(started.slice(6)).toEqual(['greedy'])
  await yieldOnce()
  await yieldOnce()
  expect(isYielding()).toBe(false)
})

test('a team that has been alone for a second starts all its bodies', async () => {
  const { ask, started, yieldOnce, isYielding } = openThread()
  ask('alone', 0)
  await yieldOnce()
  await yieldOnce()
  expect(isYielding()).toBe(false)
  for (let count = 0; count < 50; count += 1) ask('alone', 2000)
  expect(started).toHaveLength(51)
})
