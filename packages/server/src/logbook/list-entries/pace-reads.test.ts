// Long reads take turns with pauses in between, and a failing one does not block the others.
import { expect, test } from 'bun:test'
import { createPace } from './pace-reads.ts'

/** Steps and rests take the time that they give, one after the other, and are recorded. */
function createClocked() {
  let now = 0
  const notes: string[] = []
  const pace = createPace({
    stopwatch: () => now,
    wait: async milliseconds => {
      notes.push(`rest ${milliseconds}`)
      now += milliseconds
    },
  })
  const step = (name: string, milliseconds: number) =>
    pace(async () => {
      now += milliseconds
      notes.push(name)
      return name
    })
  return { notes, pace, step }
}

test('each step waits for the previous one and a pause twice as long, at most half a second', async () => {
  const { notes, step } = createClocked()
  const results = await Promise.all([step('a1', 10), step('b1', 3), step('a2', 5000), step('b2', 1)])
  expect(results).toEqual(['a1', 'b1', 'a2', 'b2'])
  expect(notes.slice(0, 7)).toEqual(['a1', 'rest 20', 'b1', 'rest 6', 'a2', 'rest 500', 'b2'])
})

test('the result of a step does not wait for the pause', async () => {
  const pace = createPace({ stopwatch: () => 0, wait: () => new Promise(() => undefined) })
  expect(await pace(async () => 'at once')).toBe('at once')
})

test('a failure reaches its caller, and the next step runs', async () => {
  const { pace, step } = createClocked()
  const failed = pace(() => Promise.reject(new Error('no store')))
  const next = step('next', 1)
  expect((await failed.catch((error: Error) => error)) as Error).toHaveProperty('message', 'no store')
  expect(await next).toBe('next')
})
