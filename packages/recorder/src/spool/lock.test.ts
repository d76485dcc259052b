// Only one sender at a time, and never none for long: a lock is taken over when its holder can no longer be working.
import { expect, test } from 'bun:test'
import { type LockOwner, takeLock } from './lock.ts'
import { openSpool } from './spool.ts'
import { createMemoryFiles } from './testing/memory-files.ts'

function createPlace() {
  let time = 1_000_000
  const alive = new Set([1, 2])
  const files = createMemoryFiles(() => time)
  const spool = openSpool('/r/.git/fairgate', {
    files,
    now: () => new Date(time),
    processId: 1,
    random: Math.random,
  })
  const owner = (processId: number, host = 'here'): LockOwner => ({
    processId,
    host,
    now: () => time,
    isAlive: other => alive.has(other),
  })
  return {
    spool,
    take: (processId: number, host?: string) => takeLock(spool, owner(processId, host)),
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    kill: (processId: number) => alive.delete(processId),
  }
}

test('while the holder lives and renews, no one else gets it; after its release another process does', () => {
  const place = createPlace()
  const lock = place.take(1)
  for (let minute = 0; minute < 5; minute += 1) {
    place.pass(60_000)
    lock?.renew()
    expect(place.take(2)).toBeNull()
  }
  lock?.release()
  expect(place.take(2)).not.toBeNull()
})

test.each<[string, (place: ReturnType<typeof createPlace>) => void, boolean]>([
  ['its process is dead', place => place.kill(1), true],
  ['it has been silent for two minutes', place => place.pass(121_000), true],
  ['the clock was set back by a day', place => place.pass(-86_400_000), true],
  ['the clock was set back by a second', place => place.pass(-1000), false],
  ['nothing has happened', () => undefined, false],
])('taken over when %s', (_, happen, expected) => {
  const place = createPlace()
  place.take(1)
  happen(place)
  expect(place.take(2) !== null).toBe(expected)
})

test('a dead process id on another machine proves nothing, and a torn lock has no owner', () => {
  const place = createPlace()
  place.take(7, 'elsewhere')
  expect(place.take(1)).toBeNull()
  place.spool.files.remove(place.spool.layout.lock)
  place.spool.files.writeNew(place.spool.layout.lock, '{"pid":')
  expect(place.take(1)).not.toBeNull()
})

test('a process that lost the lock does not release the lock of the new holder', () => {
  const place = createPlace()
  const lost = place.take(1)
  place.pass(121_000)
  place.take(2)
  lost?.release()
  expect(place.take(1)).toBeNull()
})
